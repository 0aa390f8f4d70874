/** What holds by now of what an alert is about: how much, against its limit, and whether the diagnosis still names the same. */

import type { AlertDetail, Diagnosis, RuleBody } from '../../api/types'
import { layerWord } from '../../charts/segments'
import * as alertsCopy from '../../copy/alerts'
import * as unitsCopy from '../../copy/units'
import {
  atMinute,
  boundWords,
  firstOf,
  formatAmount,
  formatLength,
  formatMinute,
  measureWords,
  sinceMinute,
} from '../../domain/alerts/words'
import { layersNamed } from '../../domain/io-path/namedWords'
import type { Zone } from '../../lib/time'

const MINUTE_MS = 60_000
/** Minutes that may be missing before a number is no longer called now. */
const MOST_BEHIND = 2

export interface Now {
  words: string
  /** Its minute ended too long ago: what holds now is not known. */
  isOld: boolean
}

type Measured = Pick<AlertDetail, 'newest' | 'measure'>

/** The newest number of an alert's measure with its age; null where none can be: it is over, or its source is gone. */
export function nowOf(
  { newest, measure }: Measured,
  rule: Pick<RuleBody, 'when'> | undefined,
  zone: Zone,
  now_ms: number,
): Now | null {
  if (newest === null) return null
  const behind_ms = Math.max(0, now_ms - Date.parse(newest.at) - MINUTE_MS)
  const isOld = behind_ms > MOST_BEHIND * MINUTE_MS
  const at = atMinute(newest.at, zone, now_ms)
  const what = measureWords(measure)
  if (isOld && newest.value === null)
    return { isOld, words: alertsCopy.staleSince(formatMinute(newest.at, zone, now_ms)) }
  if (newest.value === null) return { isOld, words: alertsCopy.notMeasured(what, at) }
  const bound = boundWords({ lower: newest.lower, measure })
  const much = [`${what} ${formatAmount(newest.value, measure.unit)}`, bound].filter((part) => part !== null).join(', ')
  if (isOld) return { isOld, words: alertsCopy.staleThen(formatMinute(newest.at, zone, now_ms), much) }
  const against = againstLimit({ newest, measure }, rule)
  return { isOld, words: `${[much, against].filter((part) => part !== null).join(', ')}; ${at}, ${age(behind_ms)}` }
}

const age = (behind_ms: number) => (behind_ms < 1000 ? unitsCopy.justNow : alertsCopy.timeAgo(formatLength(behind_ms)))

/** "surely over 0.30 ms": the newest number against the condition that the alert's measure is of; null where that is not known. */
function againstLimit({ newest, measure }: Measured, rule: Pick<RuleBody, 'when'> | undefined): string | null {
  const condition = rule === undefined ? undefined : firstOf(rule, measure)
  const { value = null, lower = null } = newest ?? {}
  if (condition === undefined || value === null) return null
  const limit = formatAmount(condition.at_least, measure.unit)
  // Both may be written alike.
  const below = alertsCopy.belowLimit(formatAmount(value, measure.unit) === limit ? alertsCopy.just : '', limit)
  if (condition.compared === 'estimate') return value >= condition.at_least ? alertsCopy.aboveLimit(limit) : below
  if (lower !== null && lower >= condition.at_least) return alertsCopy.aboveLimitLower(limit)
  return value >= condition.at_least ? alertsCopy.aboveLimitEstimate(limit) : below
}

/** What is no longer as it was when it fired, of its state and of the layer that the diagnosis names; none where all is as it was. */
export function changesOf(alert: AlertDetail, diagnosis: Diagnosis | undefined, zone: Zone, now_ms: number): string[] {
  const since = sinceMinute(alert.since_at, zone, now_ms)
  const states: Partial<Record<AlertDetail['state'], string>> = {
    recovering: alertsCopy.recovering(since),
    no_data: alertsCopy.noDataSince(since),
  }
  return [states[alert.state], layerChange(alert, diagnosis, zone, now_ms)].filter((words) => words !== undefined)
}

/** "the diagnosis still names Kernel"; null where it does not, or none is known. */
export function stillNamed({ layer, fired_at }: AlertDetail, diagnosis: Diagnosis | undefined): string | null {
  if (fired_at === null || layer === null || diagnosis?.state !== 'judged' || diagnosis.until_at !== null) return null
  return layersNamed(diagnosis.layer, diagnosis.layers).includes(layer)
    ? alertsCopy.stillDominant(diagnosis.layer_label ?? layer)
    : null
}

function layerChange(
  { layer, fired_at }: AlertDetail,
  diagnosis: Diagnosis | undefined,
  zone: Zone,
  now_ms: number,
): string | undefined {
  if (fired_at === null || layer === null || diagnosis?.state !== 'judged') return undefined
  if (diagnosis.layer === null) return alertsCopy.noLayer(layerWord(layer))
  if (layersNamed(diagnosis.layer, diagnosis.layers).includes(layer)) {
    if (diagnosis.until_at === null) return undefined
    const since = sinceMinute(diagnosis.until_at, zone, now_ms)
    return alertsCopy.layerCleared(diagnosis.layer_label ?? layerWord(layer), since)
  }
  return alertsCopy.otherLayer(diagnosis.layer_label ?? diagnosis.layer, layerWord(layer))
}

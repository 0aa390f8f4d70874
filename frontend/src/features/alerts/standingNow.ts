/** What holds by now of what an alert is about: how much, against its limit, and whether the verdict still names the same. */

import type { AlertDetail, RuleBody, Verdict } from '../../api/types'
import { layerWord } from '../../charts/segments'
import { atMinute, boundWords, firstOf, formatAmount, formatLength, measureWords } from '../../components/alerts/words'
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
  if (isOld && newest.value === null) return { isOld, words: `no newer numbers since ${at.slice('at '.length)}` }
  if (newest.value === null) return { isOld, words: `${what} was not measured ${at}` }
  const bound = boundWords({ lower: newest.lower, measure })
  const much = [`${what} ${formatAmount(newest.value, measure.unit)}`, bound].filter((part) => part !== null).join(', ')
  if (isOld) return { isOld, words: `no newer numbers since ${at.slice('at '.length)}; then ${much}` }
  const against = againstLimit({ newest, measure }, rule)
  return { isOld, words: `${[much, against].filter((part) => part !== null).join(', ')}; ${at}, ${age(behind_ms)}` }
}

const age = (behind_ms: number) => (behind_ms < 1000 ? 'just now' : `${formatLength(behind_ms)} ago`)

/** "surely over 0.30 ms": the newest number against the condition that the alert's measure is of; null where that is not known. */
function againstLimit({ newest, measure }: Measured, rule: Pick<RuleBody, 'when'> | undefined): string | null {
  const condition = rule === undefined ? undefined : firstOf(rule, measure)
  const { value = null, lower = null } = newest ?? {}
  if (condition === undefined || value === null) return null
  const limit = formatAmount(condition.at_least, measure.unit)
  // Both may be written alike.
  const below = `${formatAmount(value, measure.unit) === limit ? 'just ' : ''}below ${limit}`
  if (condition.compared === 'estimate') return value >= condition.at_least ? `over ${limit}` : below
  if (lower !== null && lower >= condition.at_least) return `surely over ${limit}`
  return value >= condition.at_least ? `perhaps over ${limit}, not surely` : below
}

/** What is no longer as it was when it fired, of its state and of the layer that the verdict names; none where all is as it was. */
export function changesOf(alert: AlertDetail, verdict: Verdict | undefined, zone: Zone, now_ms: number): string[] {
  const since = atMinute(alert.since_at, zone, now_ms).replace(/^at /, 'since ')
  const states: Partial<Record<AlertDetail['state'], string>> = {
    recovering: `Recovering ${since}: below its limit, but not for long enough yet to be over`,
    no_data: `No data ${since}: that is no recovery`,
  }
  return [states[alert.state], layerChange(alert, verdict, zone, now_ms)].filter((words) => words !== undefined)
}

/** "the verdict still names Kernel"; null where it does not, or none is known. */
export function stillNamed({ layer, fired_at }: AlertDetail, verdict: Verdict | undefined): string | null {
  if (fired_at === null || layer === null || verdict?.state !== 'judged' || verdict.until_at !== null) return null
  return verdict.layer?.split('_').includes(layer) ? `the verdict still names ${verdict.layer_label ?? layer}` : null
}

function layerChange(
  { layer, fired_at }: AlertDetail,
  verdict: Verdict | undefined,
  zone: Zone,
  now_ms: number,
): string | undefined {
  if (fired_at === null || layer === null || verdict?.state !== 'judged') return undefined
  if (verdict.layer === null) return `No layer is named any more: it was ${layerWord(layer)} when it fired`
  if (verdict.layer.split('_').includes(layer)) {
    if (verdict.until_at === null) return undefined
    const since = atMinute(verdict.until_at, zone, now_ms).replace(/^at /, 'since ')
    return `${verdict.layer_label ?? layerWord(layer)} is not named any more ${since}`
  }
  return `Another layer now: ${verdict.layer_label ?? verdict.layer}; it was ${layerWord(layer)} when it fired`
}

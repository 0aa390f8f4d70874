/** Alerts and rules in words: what is compared, how much, how bad, and in which state. */

import type { EntityKind } from '../../api/queries'
import type { AlertOut, AlertState, Condition, QuantityUse, RuleBody, Severity } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import { layerNames, segmentNames } from '../../copy/ioPathNames'
import type { Tone } from '../../kit/mark/StateMark'
import { serverNow } from '../../lib/clock'
import { capitalized, plural } from '../../lib/text'
import { formatClock, formatDay, formatMoment, formatSeconds, type Zone } from '../../lib/time'
import { formatCount, formatLatency, formatUpTo, isOnlyLessThan, NOT_MEASURED } from '../../lib/units'
import { KIND } from '../kinds'
import { ALERT_SEVERITIES } from '../parameters'
import { ALERT_SHAPES } from './marks'

export type Unit = QuantityUse['unit']
export type Part = NonNullable<Condition['part']>
export type Quantity = Condition['quantity']
export type Subject = RuleBody['of']
type Measure = Pick<Condition, 'quantity' | 'part' | 'direction' | 'finding' | 'finding_severity'>

export const SEVERITIES = ALERT_SEVERITIES satisfies readonly Severity[]

const SEVERITY_TONES: Record<Severity, Tone> = { critical: 'bad', warning: 'warn', info: 'calm' }
export const severityMark = (severity: Severity) => ({ tone: SEVERITY_TONES[severity], word: severity })

const STATES: Record<AlertState, { word: string; shape?: string; tone?: Tone }> = {
  inactive: { word: alertsCopy.inactive },
  pending: { word: alertsCopy.pending, shape: ALERT_SHAPES.waiting },
  firing: { word: alertsCopy.firing, shape: ALERT_SHAPES.firing },
  recovering: { word: alertsCopy.recoveringState, shape: ALERT_SHAPES.recovering },
  no_data: { word: alertsCopy.noData, shape: ALERT_SHAPES.no_data },
  resolved: { word: alertsCopy.resolved, shape: ALERT_SHAPES.resolved, tone: 'good' },
}
export const alertStateWord = (state: AlertState) => STATES[state].word

/** The shape says what it does; the color, while it fires, how bad it is. */
export function alertStateMark(state: AlertState, severity: Severity): { tone: Tone; word: string; shape?: string } {
  const { tone = state === 'firing' ? SEVERITY_TONES[severity] : 'calm', ...mark } = STATES[state]
  return { ...mark, tone }
}

const PARTS: Record<Part, string> = { ...layerNames, ...segmentNames }
export const partWord = (part: Part | null) => (part === null ? alertsCopy.totalLatency : PARTS[part])

const QUANTITIES: Record<Quantity, string> = {
  latency: commonCopy.latency,
  share: alertsCopy.shareOfTotal,
  excess: alertsCopy.excessLatency,
  baseline_ratio: alertsCopy.baselineRatio,
  excess_outstanding: alertsCopy.excessOutstanding,
  queue_utilization: alertsCopy.queueUtilization,
  disagreement: alertsCopy.inconsistency,
  sample_age: alertsCopy.sampleAge,
  clock_skew: alertsCopy.clockSkew,
  gap: alertsCopy.missingLastHour,
  open_findings: alertsCopy.openFindings,
}
export const quantityWord = (quantity: Quantity) => QUANTITIES[quantity]

const namesOf = (kind: EntityKind): [string, string] => [KIND[kind].noun, KIND[kind].nouns]

const SUBJECTS: Record<Subject, [string, string]> = {
  vm: namesOf('vms'),
  datastore: namesOf('datastores'),
  host: namesOf('hosts'),
  cluster: [alertsCopy.cluster, alertsCopy.clusters],
  volume: namesOf('volumes'),
  array: namesOf('arrays'),
  source: [alertsCopy.source, alertsCopy.sources],
}
export const SUBJECT_KINDS = Object.keys(SUBJECTS) as Subject[]
export const subjectWord = (subject: Subject) => SUBJECTS[subject][0]
export const subjectsWord = (subject: Subject) => SUBJECTS[subject][1]
export const countOf = (count: number, subject: Subject) => plural(count, ...SUBJECTS[subject])

/** "Kernel", "Kernel above baseline, reads": what one measure is about. Expected: usual where that was learned, else the setting. */
export function measureWords(measure: Measure, isInside = false): string {
  const { quantity, part = null, direction } = measure
  if (quantity === 'open_findings')
    return alertsCopy.findingsOf(measure.finding ?? null, measure.finding_severity ?? null)
  const of = direction === 'all' ? '' : alertsCopy.direction(direction)
  const whole = part === null ? commonCopy.latency : PARTS[part]
  if (quantity === 'latency') return whole + of
  if (quantity === 'share') return isInside ? alertsCopy.shareOfInside(whole, of) : alertsCopy.shareOf(whole, of)
  if (quantity === 'excess') return alertsCopy.aboveBaseline(whole, of)
  if (quantity === 'baseline_ratio') return alertsCopy.versusBaseline(whole, of)
  return QUANTITIES[quantity]
}

/** "Datastore", "VM": at the beginning of a line. */
export const subjectTitle = (subject: Subject) => capitalized(SUBJECTS[subject][0])

/** An amount in the unit that the API keeps: "0.30 ms", "20 %", "2 × expected", "12 I/Os", "2 min". */
export function formatAmount(value: number | null, unit: Unit): string {
  if (value === null) return NOT_MEASURED
  if (unit === 'µs') return formatLatency(value)
  if (unit === 's') return formatSeconds(value)
  if (unit === 'findings') return formatCount(value)
  if (unit === 'share') return `${formatUpTo(value * 100, 2)} %`
  return unit === '×'
    ? alertsCopy.timesBaselineValue(formatUpTo(value, 2))
    : alertsCopy.ios(formatCount(Math.round(value * 10) / 10))
}

/** How long something lasts or has lasted, in whole minutes: "40 s", "12 min", "1 h 15 min", "3 d 4 h". */
export function formatLength(length_ms: number): string {
  const minutes = Math.floor(length_ms / 60_000)
  if (minutes < 1) return formatSeconds(Math.max(0, Math.floor(length_ms / 1000)))
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return formatSeconds(minutes * 60)
  return hours % 24 === 0 ? alertsCopy.days(hours / 24) : alertsCopy.daysHours(Math.floor(hours / 24), hours % 24)
}

/** "surely ≥ 0.43 ms": below that it certainly is not. Null where that says nothing. */
export function boundWords({ lower, measure }: Pick<AlertOut, 'lower' | 'measure'>): string | null {
  if (lower === null || lower <= 0) return null
  const least = formatAmount(lower, measure.unit)
  return isOnlyLessThan(least) ? null : alertsCopy.atLeast(least)
}

type Worst = Pick<AlertOut, 'state' | 'peak' | 'value' | 'measure'>

/** "0.90 ms at worst": the worst minute so far, where it is worse than the value that stands there. Null for one that does not fire. */
export function worstWords({ state, peak, value, measure }: Worst): string | null {
  if (state !== 'firing' || peak === null || value === null || peak <= value) return null
  const worst = formatAmount(peak, measure.unit)
  return worst === formatAmount(value, measure.unit) ? null : alertsCopy.peak(worst)
}

/** Which minute an alert's value is of: it stands still between two changes of the alert. */
export const whenWords = (alert: Pick<AlertOut, 'state' | 'fired_at' | 'since_at'>, zone: Zone): string =>
  alert.state === 'firing' && alert.since_at === alert.fired_at ? alertsCopy.whenFired : atMinute(alert.since_at, zone)

/** "at 06:41"; with its day where that is not the day of `now_ms`. */
export const atMinute = (at: string, zone: Zone, now_ms?: number): string =>
  alertsCopy.at(formatMinute(at, zone, now_ms))

/** "since 06:41", the same. */
export const sinceMinute = (at: string, zone: Zone, now_ms?: number): string =>
  alertsCopy.since(formatMinute(at, zone, now_ms))

/** "06:41"; with its day where that is not the day of `now_ms`. */
export function formatMinute(at: string, zone: Zone, now_ms: number = serverNow()): string {
  const at_ms = Date.parse(at)
  const isToday = formatDay(at_ms, zone) === formatDay(now_ms, zone) && Math.abs(now_ms - at_ms) < DAY_MS
  return isToday ? formatClock(at_ms, zone) : formatMoment(at_ms, zone)
}

const DAY_MS = 86_400_000

type Recovering = Pick<AlertOut, 'state' | 'measure' | 'value' | 'lower'>

/**
 * "no longer surely over 2 × expected": what a recovering alert is not any more; null for others. `rule`: as it is now. One condition that does
 * not hold is enough, and only of the first the numbers are here.
 */
export function recoveredWords(
  { state, measure, value, lower }: Recovering,
  rule?: Pick<RuleBody, 'when'>,
): string | null {
  if (state !== 'recovering') return null
  const first = rule === undefined ? undefined : firstOf(rule, measure)
  if (first === undefined) return alertsCopy.belowThreshold
  const [found, below] =
    first.compared === 'lower' ? [lower, alertsCopy.belowLowerBound] : [value, alertsCopy.belowEstimate]
  if (found !== null && found >= first.at_least) return alertsCopy.otherCondition
  return below(formatAmount(first.at_least, measure.unit))
}

/** The condition of a rule that a measure is of. */
export const firstOf = ({ when }: Pick<RuleBody, 'when'>, measure: AlertOut['measure']) =>
  when.find(
    (one) =>
      one.quantity === measure.quantity &&
      (one.part ?? null) === measure.part &&
      one.direction === measure.direction &&
      (one.finding ?? null) === measure.finding &&
      (one.finding_severity ?? null) === measure.finding_severity,
  )

/** "Kernel surely ≥ 0.30 ms", "Array surely at 2 × expected or more, reads". */
export function conditionWords(condition: Condition, unit: Unit, isInside = false): string {
  const basis = condition.compared === 'lower' ? alertsCopy.byLowerBound : alertsCopy.byEstimate
  if (condition.quantity === 'baseline_ratio') {
    const { part = null, direction, at_least } = condition
    const of = direction === 'all' ? '' : alertsCopy.direction(direction)
    return alertsCopy.timesCondition(
      part === null ? commonCopy.latency : PARTS[part],
      formatAmount(at_least, unit),
      basis,
      of,
    )
  }
  if (condition.quantity === 'open_findings')
    return alertsCopy.findingsCondition(measureWords(condition), formatAmount(condition.at_least, unit))
  return alertsCopy.condition(measureWords(condition, isInside), formatAmount(condition.at_least, unit), basis)
}

/** "Kernel surely ≥ 0.30 ms and share of Kernel surely ≥ 20 %, for 5 min". */
export function ruleWords(rule: Pick<RuleBody, 'when' | 'for_min'>, units: ReadonlyMap<Quantity, Unit>): string {
  const joined = rule.when
    .map((one, index) => conditionWords(one, units.get(one.quantity) ?? 'I/Os', index > 0))
    .join(alertsCopy.and)
  return `${joined}, ${rule.for_min === 0 ? alertsCopy.immediately : alertsCopy.forTime(formatSeconds(rule.for_min * 60))}`
}

/** "All datastores", "Datastores with cluster prod*, array fa-?". */
export function scopeWords({ of, where }: Pick<RuleBody, 'of' | 'where'>): string {
  const selectors = Object.entries(where)
  const kinds = subjectsWord(of)
  if (selectors.length === 0) return alertsCopy.allObjects(kinds)
  const said = selectors.map(([what, pattern]) => `${what} ${pattern}`).join(', ')
  return alertsCopy.objectsWith(capitalized(kinds), said)
}

/** Alerts and rules in words: what is compared, how much, how bad, and in which state. */

import { serverNow } from '../../api/serverClock'
import type { AlertOut, AlertState, Condition, QuantityUse, RuleBody, Severity } from '../../api/types'
import { plural } from '../../lib/text'
import { formatClock, formatDay, formatMoment, formatSeconds, type Zone } from '../../lib/time'
import { formatCount, formatFixed, formatLatency, NOT_MEASURED } from '../../lib/units'
import type { Tone } from '../StateMark'
import { ALERT_SHAPES } from './marks'

export type Unit = QuantityUse['unit']
export type Part = NonNullable<Condition['part']>
export type Quantity = Condition['quantity']
export type Subject = RuleBody['of']
type Measure = Pick<Condition, 'quantity' | 'part' | 'direction'>

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[]

const SEVERITY_TONES: Record<Severity, Tone> = { critical: 'bad', warning: 'warn', info: 'calm' }
export const severityMark = (severity: Severity) => ({ tone: SEVERITY_TONES[severity], word: severity })

const STATES: Record<AlertState, { word: string; shape?: string; tone?: Tone }> = {
  inactive: { word: 'quiet' },
  pending: { word: 'pending', shape: ALERT_SHAPES.waiting },
  firing: { word: 'firing', shape: ALERT_SHAPES.firing },
  recovering: { word: 'recovering', shape: ALERT_SHAPES.recovering },
  no_data: { word: 'no data', shape: ALERT_SHAPES.no_data },
  resolved: { word: 'resolved', shape: ALERT_SHAPES.resolved, tone: 'good' },
}
export const alertStateWord = (state: AlertState) => STATES[state].word

/** The shape says what it does; the colour, while it fires, how bad it is. */
export function alertStateMark(state: AlertState, severity: Severity): { tone: Tone; word: string; shape?: string } {
  const { tone = state === 'firing' ? SEVERITY_TONES[severity] : 'calm', ...mark } = STATES[state]
  return { ...mark, tone }
}

const PARTS: Record<Part, string> = {
  guest: 'Guest',
  kernel: 'Kernel',
  san: 'SAN',
  array: 'Array',
  guest_queue: 'Guest queue',
  hypervisor: 'Hypervisor',
  kernel_queue: 'Kernel queue',
  kernel_service: 'Kernel service',
  fabric: 'Fabric',
  array_port: 'Array port',
  array_qos: 'QoS wait',
  array_queue: 'Array queue',
  array_service: 'Array service',
}
export const partWord = (part: Part | null) => (part === null ? 'The whole I/O' : PARTS[part])

const QUANTITIES: Record<Quantity, string> = {
  time: 'Time',
  share: 'Share of the total',
  excess: 'Time over expected',
  times_usual: 'Times what is expected',
  impact: 'I/Os that wait needlessly',
  outstanding_at_depth: 'Outstanding I/Os ÷ queue depth',
  disagreement: 'Disagreement of the measurements',
  source_silent: 'Silence of the source',
  clock_offset: 'Clock offset of the source',
  gap: 'Missing in the last hour',
}
export const quantityWord = (quantity: Quantity) => QUANTITIES[quantity]

const SUBJECTS: Record<Subject, [string, string]> = {
  vm: ['VM', 'VMs'],
  datastore: ['datastore', 'datastores'],
  host: ['host', 'hosts'],
  cluster: ['cluster', 'clusters'],
  volume: ['volume', 'volumes'],
  array: ['array', 'arrays'],
  source: ['source', 'sources'],
}
export const SUBJECT_KINDS = Object.keys(SUBJECTS) as Subject[]
export const subjectWord = (subject: Subject) => SUBJECTS[subject][0]
export const subjectsWord = (subject: Subject) => SUBJECTS[subject][1]
export const countOf = (count: number, subject: Subject) => plural(count, ...SUBJECTS[subject])

/** "Kernel", "Kernel over expected, reads": what one measure is about. Expected: usual where that was learned, else the setting. */
export function measureWords({ quantity, part = null, direction }: Measure): string {
  const of = direction === 'all' ? '' : `, ${direction}s`
  const whole = part === null ? 'Latency' : PARTS[part]
  if (quantity === 'time') return whole + of
  if (quantity === 'share') return `Share of ${whole}${of}`
  if (quantity === 'excess') return `${whole} over expected${of}`
  if (quantity === 'times_usual') return `${whole} against expected${of}`
  return QUANTITIES[quantity]
}

/** "Datastore", "VM": at the beginning of a line. */
export const subjectTitle = (subject: Subject) => SUBJECTS[subject][0].replace(/^./, (first) => first.toUpperCase())

/** An amount in the unit that the API keeps: "0.30 ms", "20 %", "2 × expected", "12 I/Os", "2 min". */
export function formatAmount(value: number | null, unit: Unit): string {
  if (value === null) return NOT_MEASURED
  if (unit === 'µs') return formatLatency(value)
  if (unit === 's') return formatSeconds(value)
  if (unit === 'share') return `${trimmed(value * 100)} %`
  return unit === '×' ? `${trimmed(value)} × expected` : `${formatCount(Math.round(value * 10) / 10)} I/Os`
}

/** At most two decimals, none where they say nothing. */
const trimmed = (value: number) => formatFixed(value, 2).replace(/\.?0+$/, '')

/** How long something lasts or has lasted, in whole minutes: "40 s", "12 min", "1 h 15 min", "3 d 4 h". */
export function formatLength(length_ms: number): string {
  const minutes = Math.floor(length_ms / 60_000)
  if (minutes < 1) return formatSeconds(Math.max(0, Math.floor(length_ms / 1000)))
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return formatSeconds(minutes * 60)
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** "surely ≥ 0.43 ms": below that it certainly is not. Null where that says nothing. */
export function boundWords({ lower, measure }: Pick<AlertOut, 'lower' | 'measure'>): string | null {
  const least = lower === null || lower <= 0 ? '' : formatAmount(lower, measure.unit)
  return least === '' || least.startsWith('<') ? null : `surely ≥ ${least}`
}

type Worst = Pick<AlertOut, 'state' | 'peak' | 'value' | 'measure'>

/** "0.90 ms at worst": the worst minute so far, where it is worse than the value that stands there. Null for one that does not fire. */
export function worstWords({ state, peak, value, measure }: Worst): string | null {
  if (state !== 'firing' || peak === null || value === null || peak <= value) return null
  const worst = formatAmount(peak, measure.unit)
  return worst === formatAmount(value, measure.unit) ? null : `${worst} at worst`
}

/** Which minute an alert's value is of: it stands still between two changes of the alert. */
export const whenWords = (alert: Pick<AlertOut, 'state' | 'fired_at' | 'since_at'>, zone: Zone): string =>
  alert.state === 'firing' && alert.since_at === alert.fired_at ? 'when it fired' : atMinute(alert.since_at, zone)

/** "at 06:41"; with its day where that is not the day of `now_ms`. */
export function atMinute(at: string, zone: Zone, now_ms: number = serverNow()): string {
  const at_ms = Date.parse(at)
  const isToday = formatDay(at_ms, zone) === formatDay(now_ms, zone) && Math.abs(now_ms - at_ms) < DAY_MS
  return `at ${isToday ? formatClock(at_ms, zone) : formatMoment(at_ms, zone)}`
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
  if (first === undefined) return 'no longer over its threshold'
  const [found, sure] = first.compared === 'lower' ? [lower, 'surely over'] : [value, 'over']
  if (found !== null && found >= first.at_least) return 'another condition does not hold any more'
  return `no longer ${sure} ${formatAmount(first.at_least, measure.unit)}`
}

/** The condition of a rule that a measure is of. */
export const firstOf = ({ when }: Pick<RuleBody, 'when'>, { quantity, part, direction }: AlertOut['measure']) =>
  when.find((one) => one.quantity === quantity && (one.part ?? null) === part && one.direction === direction)

/** "Kernel surely ≥ 0.30 ms", "Array surely at 2 × expected or more, reads". */
export function conditionWords(condition: Condition, unit: Unit): string {
  const sure = condition.compared === 'lower' ? 'surely' : 'probably'
  if (condition.quantity === 'times_usual') {
    const { part = null, direction, at_least } = condition
    const of = direction === 'all' ? '' : `, ${direction}s`
    return `${part === null ? 'Latency' : PARTS[part]} ${sure} at ${formatAmount(at_least, unit)} or more${of}`
  }
  return `${measureWords(condition)} ${sure} ≥ ${formatAmount(condition.at_least, unit)}`
}

/** "Kernel surely ≥ 0.30 ms and share of Kernel surely ≥ 20 %, for 5 min". */
export function ruleWords(rule: Pick<RuleBody, 'when' | 'for_min'>, units: ReadonlyMap<Quantity, Unit>): string {
  const conditions = rule.when.map((one) => conditionWords(one, units.get(one.quantity) ?? 'I/Os'))
  const joined = conditions
    .map((words, index) => (index > 0 && words.startsWith('Share') ? `s${words.slice(1)}` : words))
    .join(' and ')
  return `${joined}, ${rule.for_min === 0 ? 'at once' : `for ${formatSeconds(rule.for_min * 60)}`}`
}

/** "All datastores", "Datastores with cluster prod*, array fa-?". */
export function scopeWords({ of, where }: Pick<RuleBody, 'of' | 'where'>): string {
  const selectors = Object.entries(where)
  const kinds = subjectsWord(of)
  if (selectors.length === 0) return `All ${kinds}`
  const said = selectors.map(([what, pattern]) => `${what} ${pattern}`).join(', ')
  return `${kinds.charAt(0).toUpperCase()}${kinds.slice(1)} with ${said}`
}

/** Where a verdict's sentence goes on to what it rests on. */
const WHY = '. — '

/** The verdict, and what it rests on where that is told; names in it may have dashes of their own. */
export function headAndWhy(sentence: string): [string, string | null] {
  const at = sentence.indexOf(WHY)
  return at < 0 ? [sentence, null] : [sentence.slice(0, at + 1), sentence.slice(at + WHY.length)]
}

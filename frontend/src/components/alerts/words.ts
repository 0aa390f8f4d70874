/** Alerts and rules in words: what is compared, how much, how bad, and in which state. */

import { serverNow } from '../../api/serverClock'
import type { AlertOut, AlertState, Condition, QuantityUse, RuleBody, Severity } from '../../api/types'
import { plural } from '../../lib/text'
import { formatClock, formatDay, formatMoment, formatSeconds, type Zone } from '../../lib/time'
import { formatCount, formatFixed, formatLatency, NOT_MEASURED } from '../../lib/units'
import type { Tone } from '../StateMark'

export type Unit = QuantityUse['unit']
export type Part = NonNullable<Condition['part']>
export type Quantity = Condition['quantity']
export type Subject = RuleBody['of']
type Measure = Pick<Condition, 'quantity' | 'part' | 'direction'>

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[]

const SEVERITY_TONES: Record<Severity, Tone> = { critical: 'bad', warning: 'warn', info: 'calm' }
export const severityMark = (severity: Severity) => ({ tone: SEVERITY_TONES[severity], word: severity })

const STATES: Record<AlertState, { tone: Tone; word: string }> = {
  inactive: { tone: 'calm', word: 'quiet' },
  pending: { tone: 'calm', word: 'pending' },
  firing: { tone: 'bad', word: 'firing' },
  recovering: { tone: 'open', word: 'recovering' },
  no_data: { tone: 'calm', word: 'no data' },
  resolved: { tone: 'good', word: 'resolved' },
}
export const alertStateMark = (state: AlertState) => STATES[state]

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
  impact: 'I/Os that wait for nothing',
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
  if (quantity === 'times_usual') return `${whole} ÷ expected${of}`
  return QUANTITIES[quantity]
}

/** An amount in the unit that the API keeps: "0.30 ms", "20 %", "2 ×", "12 I/Os", "2 min". */
export function formatAmount(value: number | null, unit: Unit): string {
  if (value === null) return NOT_MEASURED
  if (unit === 'µs') return formatLatency(value)
  if (unit === 's') return formatSeconds(value)
  if (unit === 'share') return `${trimmed(value * 100)} %`
  return unit === '×' ? `${trimmed(value)} ×` : `${formatCount(Math.round(value * 10) / 10)} I/Os`
}

/** At most two decimals, none where they say nothing. */
const trimmed = (value: number) => formatFixed(value, 2).replace(/\.?0+$/, '')

/** "surely ≥ 0.43 ms": below that it certainly is not. Null where that says nothing. */
export function boundWords({ lower, measure }: Pick<AlertOut, 'lower' | 'measure'>): string | null {
  const least = lower === null || lower <= 0 ? '' : formatAmount(lower, measure.unit)
  return least === '' || least.startsWith('<') ? null : `surely ≥ ${least}`
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
 * "no longer surely over 2 ×": what a recovering alert is not any more; null for others. `rule`: as it is now. One condition that does
 * not hold is enough, and only of the first the numbers are here.
 */
export function recoveredWords(
  { state, measure, value, lower }: Recovering,
  rule?: Pick<RuleBody, 'when'>,
): string | null {
  if (state !== 'recovering') return null
  const first = rule?.when.find((one) => isOf(one, measure))
  if (first === undefined) return 'no longer over its threshold'
  const [found, sure] = first.compared === 'lower' ? [lower, 'surely over'] : [value, 'over']
  if (found !== null && found >= first.at_least) return 'another condition does not hold any more'
  return `no longer ${sure} ${formatAmount(first.at_least, measure.unit)}`
}

const isOf = (one: Condition, { quantity, part, direction }: AlertOut['measure']) =>
  one.quantity === quantity && (one.part ?? null) === part && one.direction === direction

/** "Kernel surely ≥ 0.30 ms". */
export function conditionWords(condition: Condition, unit: Unit): string {
  const sure = condition.compared === 'lower' ? 'surely' : 'probably'
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

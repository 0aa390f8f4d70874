/** A rule as it stands in the form: amounts in the unit that people write, lists where the API has mappings. */

import type { Condition, QuantityUse, RuleBody } from '../../../api/types'
import type { Part, Quantity, Subject, Unit } from '../../../domain/alerts/words'

/** What a number input holds: a number, or text while it is typed. */
export type Amount = number | string

export interface DraftCondition {
  quantity: Quantity
  part: Part | null
  direction: Condition['direction']
  atLeast: Amount
  recoverBelow: Amount
  compared: Condition['compared']
  /** Of open findings: their rule and the lowest severity that counts; null is any. */
  finding: string | null
  findingSeverity: FindingSeverity | null
}

export type FindingSeverity = NonNullable<Condition['finding_severity']>

export interface Pair {
  name: string
  value: string
}

export type DraftRule = Pick<
  RuleBody,
  'key' | 'name' | 'of' | 'min_quality' | 'severity' | 'runbook_url' | 'enabled'
> & {
  where: Pair[]
  labels: Pair[]
  when: DraftCondition[]
  for_min: Amount
  keep_firing_min: Amount
  no_data_after_min: Amount
  min_ops: Amount
}

export type Quantities = ReadonlyMap<Quantity, QuantityUse>

/** How an amount of each unit is written, and how much that is in the unit that is kept. */
const WRITTEN: Record<Unit, { suffix: string; factor: number }> = {
  µs: { suffix: 'ms', factor: 1000 },
  share: { suffix: '%', factor: 0.01 },
  '×': { suffix: '×', factor: 1 },
  'I/Os': { suffix: 'I/Os', factor: 1 },
  s: { suffix: 's', factor: 1 },
  findings: { suffix: 'findings', factor: 1 },
}
export const writtenIn = (unit: Unit) => WRITTEN[unit].suffix

/** 57 % is 0.57 and not 0.5700000000000001. */
const clean = (value: number) => Number(value.toPrecision(12))

const unitOf = (quantity: Quantity, quantities: Quantities): Unit => quantities.get(quantity)?.unit ?? 'I/Os'

const FIRST: DraftCondition = {
  quantity: 'latency',
  part: 'kernel',
  direction: 'all',
  atLeast: 1,
  recoverBelow: '',
  compared: 'lower',
  finding: null,
  findingSeverity: null,
}

export const NEW_RULE: DraftRule = {
  key: '',
  name: '',
  of: 'datastore',
  where: [],
  labels: [],
  when: [FIRST],
  for_min: 5,
  keep_firing_min: 5,
  no_data_after_min: 5,
  min_ops: 30,
  min_quality: 'C',
  severity: 'warning',
  runbook_url: '',
  enabled: true,
}

/** Of a rule only what somebody decides: what else the server says of it is not sent back. */
export function draftOf(rule: RuleBody, quantities: Quantities): DraftRule {
  const pairs = (mapping: Record<string, string>) => Object.entries(mapping).map(([name, value]) => ({ name, value }))
  const { key, name, of, for_min, keep_firing_min, no_data_after_min, min_ops, min_quality } = rule
  const { severity, runbook_url, enabled } = rule
  return {
    ...{ key, name, of, for_min, keep_firing_min, no_data_after_min, min_ops, min_quality },
    ...{ severity, runbook_url, enabled },
    where: pairs(rule.where),
    labels: pairs(rule.labels),
    when: rule.when.map((one) => {
      const { factor } = WRITTEN[unitOf(one.quantity, quantities)]
      const { recover_below = null } = one
      return {
        quantity: one.quantity,
        part: one.part ?? null,
        direction: one.direction,
        atLeast: clean(one.at_least / factor),
        recoverBelow: recover_below === null ? '' : clean(recover_below / factor),
        compared: one.compared,
        finding: one.finding ?? null,
        findingSeverity: one.finding_severity ?? null,
      }
    }),
  }
}

/** The rule to send. An amount that is no number is sent as zero, which the API refuses at its field. */
export function bodyOf(draft: DraftRule, quantities: Quantities): RuleBody {
  const mapping = (pairs: readonly Pair[]) => Object.fromEntries(pairs.map(({ name, value }) => [name.trim(), value]))
  return {
    ...draft,
    key: draft.key.trim(),
    name: draft.name.trim(),
    runbook_url: draft.runbook_url.trim(),
    where: mapping(draft.where),
    labels: mapping(draft.labels),
    for_min: Number(draft.for_min),
    keep_firing_min: Number(draft.keep_firing_min),
    no_data_after_min: Number(draft.no_data_after_min),
    min_ops: Number(draft.min_ops),
    when: draft.when.map((one) => {
      const { factor } = WRITTEN[unitOf(one.quantity, quantities)]
      return {
        quantity: one.quantity,
        part: one.part,
        direction: one.direction,
        at_least: clean(Number(one.atLeast) * factor),
        recover_below: one.recoverBelow === '' ? null : clean(Number(one.recoverBelow) * factor),
        compared: one.compared,
        finding: one.finding,
        finding_severity: one.findingSeverity,
      }
    }),
  }
}

/** A condition that compares something else: part, direction and rule of findings only where that has them; one finding is enough. */
export function withQuantity(condition: DraftCondition, use: QuantityUse): DraftCondition {
  const keeps = use.parts.includes(condition.part)
  const isOfFindings = use.quantity === 'open_findings'
  return {
    ...condition,
    quantity: use.quantity,
    part: keeps ? condition.part : (use.parts[0] ?? null),
    direction: use.has_direction ? condition.direction : 'all',
    finding: isOfFindings ? condition.finding : null,
    findingSeverity: isOfFindings ? condition.findingSeverity : null,
    ...(isOfFindings === (condition.quantity === 'open_findings') ? {} : { atLeast: 1, recoverBelow: '' }),
  }
}

/** Another kind of object: conditions that it does not know become the first one that it knows. */
export function withSubject(draft: DraftRule, of: Subject, quantities: Quantities): DraftRule {
  const known = [...quantities.values()].filter(({ subjects }) => subjects.includes(of))
  const [first] = known
  const when = draft.when.map((one) =>
    first === undefined || known.some(({ quantity }) => quantity === one.quantity) ? one : withQuantity(one, first),
  )
  // A source has no I/Os to count and no quality.
  const floors = of === 'source' ? { min_ops: 0, min_quality: 'D' as const } : draft.of === 'source' ? NEW_FLOORS : {}
  return { ...draft, of, when, ...floors }
}

const NEW_FLOORS = { min_ops: NEW_RULE.min_ops, min_quality: NEW_RULE.min_quality }

const LONGEST_KEY = 64

/** "Kernel queueing!" → "kernel_queueing": a stable name that files can hold. */
export function keyOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
  return words.slice(0, LONGEST_KEY)
}

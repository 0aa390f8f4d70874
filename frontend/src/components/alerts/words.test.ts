import { describe, expect, it } from 'vitest'
import type { Condition } from '../../api/types'
import { boundWords, conditionWords, formatAmount, measureWords, ruleWords, scopeWords } from './words'

const condition = (given: Partial<Condition>): Condition => ({
  quantity: 'time',
  part: 'kernel',
  direction: 'all',
  at_least: 300,
  recover_below: null,
  compared: 'lower',
  ...given,
})
const UNITS = new Map([
  ['time', 'µs'],
  ['share', 'share'],
] as const)

describe('amounts', () => {
  it('are written in the unit of their quantity', () => {
    expect(formatAmount(300, 'µs')).toBe('0.30 ms')
    expect(formatAmount(0.2, 'share')).toBe('20 %')
    expect(formatAmount(0.575, 'share')).toBe('57.5 %')
    expect(formatAmount(2, '×')).toBe('2 ×')
    expect(formatAmount(100, '×')).toBe('100 ×')
    expect(formatAmount(28.47, 'I/Os')).toBe('28.5 I/Os')
    expect(formatAmount(120, 's')).toBe('2 min')
  })

  it('that were not measured are never zero, and a bound that is not known is not claimed', () => {
    expect(formatAmount(null, 'µs')).toBe('not measured')
    const measure = { quantity: 'time', part: 'kernel', direction: 'all', unit: 'µs' } as const
    expect(boundWords({ lower: null, measure })).toBeNull()
    expect(boundWords({ lower: 0, measure })).toBeNull()
    expect(boundWords({ lower: 0.2, measure })).toBeNull()
    expect(boundWords({ lower: 425, measure })).toBe('surely ≥ 0.43 ms')
  })
})

describe('a rule in one sentence', () => {
  it('names what is compared, how surely, and for how long', () => {
    const share = condition({ quantity: 'share', at_least: 0.2 })
    expect(ruleWords({ when: [condition({}), share], for_min: 5 }, UNITS)).toBe(
      'Kernel surely ≥ 0.30 ms and share of Kernel surely ≥ 20 %, for 5 min',
    )
    expect(ruleWords({ when: [condition({ part: null, compared: 'estimate' })], for_min: 0 }, UNITS)).toBe(
      'Latency probably ≥ 0.30 ms, at once',
    )
  })

  it('says of which direction', () => {
    expect(measureWords(condition({ quantity: 'excess', part: 'san', direction: 'write' }))).toBe(
      'SAN over expected, writes',
    )
    expect(conditionWords(condition({ quantity: 'times_usual', part: 'array', at_least: 2 }), '×')).toBe(
      'Array ÷ expected surely ≥ 2 ×',
    )
  })

  it('says what it looks at', () => {
    expect(scopeWords({ of: 'vm', where: {} })).toBe('All VMs')
    expect(scopeWords({ of: 'datastore', where: { cluster: 'prod*', 'tag.tier': 'gold' } })).toBe(
      'Datastores with cluster prod*, tag.tier gold',
    )
  })
})

import { describe, expect, it } from 'vitest'
import type { Condition } from '../../api/types'
import { MARK_SHAPES } from '../../lib/marks'
import {
  alertStateMark,
  atMinute,
  boundWords,
  conditionWords,
  formatAmount,
  formatLength,
  measureWords,
  recoveredWords,
  ruleWords,
  SEVERITIES,
  scopeWords,
  severityMark,
  whenWords,
  worstWords,
} from './words'

const condition = (given: Partial<Condition>): Condition => ({
  quantity: 'latency',
  part: 'kernel',
  direction: 'all',
  at_least: 300,
  recover_below: null,
  compared: 'lower',
  ...given,
})
const UNITS = new Map([
  ['latency', 'µs'],
  ['share', 'share'],
] as const)

describe('amounts', () => {
  it('are written in the unit of their quantity', () => {
    expect(formatAmount(300, 'µs')).toBe('0.30 ms')
    expect(formatAmount(0.2, 'share')).toBe('20 %')
    expect(formatAmount(0.575, 'share')).toBe('57.5 %')
    expect(formatAmount(2, '×')).toBe('2 × baseline')
    expect(formatAmount(100, '×')).toBe('100 × baseline')
    expect(formatAmount(28.47, 'I/Os')).toBe('28.5 I/Os')
    expect(formatAmount(120, 's')).toBe('2 min')
  })

  it('that were not measured are never zero, and a bound that is not known is not claimed', () => {
    expect(formatAmount(null, 'µs')).toBe('not measured')
    const measure = {
      quantity: 'latency',
      part: 'kernel',
      direction: 'all',
      unit: 'µs',
      finding: null,
      finding_severity: null,
    } as const
    expect(boundWords({ lower: null, measure })).toBeNull()
    expect(boundWords({ lower: 0, measure })).toBeNull()
    expect(boundWords({ lower: 0.2, measure })).toBeNull()
    expect(boundWords({ lower: 425, measure })).toBe('≥ 0.43 ms (lower bound)')
  })
})

describe('a rule in one sentence', () => {
  it('names what is compared, how surely, and for how long', () => {
    const share = condition({ quantity: 'share', at_least: 0.2 })
    expect(ruleWords({ when: [condition({}), share], for_min: 5 }, UNITS)).toBe(
      'Kernel ≥ 0.30 ms (lower bound) and share of Kernel ≥ 20 % (lower bound), for 5 min',
    )
    expect(ruleWords({ when: [condition({ part: null, compared: 'estimate' })], for_min: 0 }, UNITS)).toBe(
      'Latency ≥ 0.30 ms (estimate), immediately',
    )
  })

  it('says of which direction', () => {
    expect(measureWords(condition({ quantity: 'excess', part: 'san', direction: 'write' }))).toBe(
      'SAN above baseline, writes',
    )
    expect(conditionWords(condition({ quantity: 'baseline_ratio', part: 'array', at_least: 2 }), '×')).toBe(
      'Array ≥ 2 × baseline (lower bound)',
    )
  })

  it('says what it looks at', () => {
    expect(scopeWords({ of: 'vm', where: {} })).toBe('All VMs')
    expect(scopeWords({ of: 'datastore', where: { cluster: 'prod*', 'tag.tier': 'gold' } })).toBe(
      'Datastores with cluster prod*, tag.tier gold',
    )
  })
})

describe('the minute of a value', () => {
  const now_ms = Date.parse('2026-11-22T07:00:00Z')
  const alert = { since_at: '2026-11-22T06:41:00Z', fired_at: '2026-11-22T06:10:00Z' }

  it('is said by the clock, with its day where that is another', () => {
    expect(atMinute('2026-11-22T06:41:00Z', 'utc', now_ms)).toBe('at 06:41')
    expect(atMinute('2026-11-21T23:41:00Z', 'utc', now_ms)).toBe('at 21 Nov, 23:41')
    expect(atMinute('2025-11-22T06:41:00Z', 'utc', now_ms)).toBe('at 22 Nov, 06:41')
  })

  it('is that of the newest change, which is when it fired as long as nothing came after', () => {
    expect(whenWords({ ...alert, state: 'recovering' }, 'utc')).toMatch(/^at .*06:41$/)
    expect(whenWords({ ...alert, state: 'firing', since_at: alert.fired_at }, 'utc')).toBe('when it fired')
  })
})

describe('a recovering alert', () => {
  const measure = {
    quantity: 'baseline_ratio',
    part: 'array',
    direction: 'all',
    unit: '×',
    finding: null,
    finding_severity: null,
  } as const
  const alert = { state: 'recovering', measure, value: 0.76, lower: 0.5 } as const
  const first = condition({ quantity: 'baseline_ratio', part: 'array', at_least: 2 })

  it('says over what it is not any more, as sure as its rule asks', () => {
    expect(recoveredWords(alert, { when: [first] })).toBe('lower bound below 2 × baseline')
    expect(recoveredWords(alert, { when: [{ ...first, compared: 'estimate' }] })).toBe('below 2 × baseline')
    expect(recoveredWords({ ...alert, state: 'firing' }, { when: [first] })).toBeNull()
  })

  it('claims nothing of a threshold that its number still passes, or that is not known', () => {
    expect(recoveredWords({ ...alert, value: 3, lower: 2.5 }, { when: [first, condition({})] })).toBe(
      'another condition no longer holds',
    )
    expect(recoveredWords(alert)).toBe('below threshold')
    expect(recoveredWords(alert, { when: [condition({})] })).toBe('below threshold')
  })
})

describe('the mark of a state', () => {
  it('has a shape that no severity has, and while it fires the color of its severity', () => {
    const states = ['pending', 'firing', 'recovering', 'no_data', 'resolved'] as const
    const shapes = states.map((state) => alertStateMark(state, 'info').shape)
    expect(new Set(shapes).size).toBe(states.length)
    for (const shape of shapes) expect(Object.values(MARK_SHAPES)).not.toContain(shape)
    for (const severity of SEVERITIES) {
      expect(alertStateMark('firing', severity).tone).toBe(severityMark(severity).tone)
      expect(alertStateMark('recovering', severity).tone).toBe('calm')
    }
  })
})

describe('how long something lasts', () => {
  it('is written one way from seconds to days', () => {
    const lengths = [0, 40, 61, 12 * 60, 75 * 60, 26 * 3600, 48 * 3600, 76 * 3600 + 300]
    expect(lengths.map((seconds) => formatLength(seconds * 1000))).toEqual([
      ...['0 s', '40 s', '1 min', '12 min', '1 h 15 min', '26 h', '2 d', '3 d 4 h'],
    ])
  })
})

it('the worst minute so far is told where it is worse than the value that stands there', () => {
  const state = 'firing'
  const measure = {
    quantity: 'latency',
    part: 'kernel',
    direction: 'all',
    unit: 'µs',
    finding: null,
    finding_severity: null,
  } as const
  expect(worstWords({ state, value: 470, peak: 900, measure })).toBe('peak 0.90 ms')
  expect(worstWords({ state, value: 470, peak: 471, measure })).toBeNull()
  expect(worstWords({ state, value: 470, peak: 300, measure })).toBeNull()
  expect(worstWords({ state, value: 470, peak: null, measure })).toBeNull()
  expect(worstWords({ state, value: null, peak: 900, measure })).toBeNull()
  expect(worstWords({ state: 'recovering', value: 470, peak: 900, measure })).toBeNull()
})

it('a condition on findings names their rule and severity, without a bound', () => {
  const condition: Condition = {
    ...{ quantity: 'open_findings', part: null, direction: 'all', at_least: 1, recover_below: null, compared: 'lower' },
    ...{ finding: 'paths-down', finding_severity: 'elevated' },
  }
  expect(conditionWords(condition, 'findings')).toBe('Open findings (paths-down, elevated or high) ≥ 1')
  expect(conditionWords({ ...condition, finding: null, finding_severity: null }, 'findings')).toBe('Open findings ≥ 1')
})

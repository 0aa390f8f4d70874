import { expect, it } from 'vitest'
import type { OverviewRow } from '../../api/types'
import { headOf } from '../../testing/sentences'
import { meanWords, troubledOf, troubledWords, worstOf } from './troubled'

it('all above baseline count, with a named layer or without; all of the kind are counted beside them', () => {
  const totals = {
    by_severity: { elevated: 2, high: 1, normal: 9 },
    by_state: { judged: 12, idle: 1, no_data: 1 },
    ended: 0,
  }
  expect(troubledOf(totals)).toBe(3)
  expect(troubledWords(totals, 'datastores')).toBe('3 of 14 datastores have elevated latency')
  expect(troubledWords({ by_severity: { high: 1 }, by_state: { judged: 1 }, ended: 0 }, 'arrays')).toBe(
    '1 of 1 array has elevated latency',
  )
  expect(troubledWords({ by_severity: { normal: 4 }, by_state: { judged: 4 }, ended: 0 }, 'vms')).toBe(
    'No VM has elevated latency',
  )
})

it('what ended while it was looked at does not lose time any more, and is said to have', () => {
  const one = { by_severity: { elevated: 1, normal: 12 }, by_state: { judged: 14 }, ended: 1 }
  expect(troubledOf(one)).toBe(1)
  expect(troubledWords(one, 'datastores')).toBe(
    '1 of 14 datastores has elevated latency; 1 more cleared in the last minutes',
  )
  const none = { ...one, by_severity: { normal: 12 }, ended: 2 }
  expect(troubledWords(none, 'datastores')).toBe('No datastore has elevated latency; 2 cleared in the last minutes')
})

it('what nobody judged is not called well', () => {
  expect(troubledWords({ by_severity: {}, by_state: { no_data: 13, idle: 1 }, ended: 0 }, 'datastores')).toBe(
    'No diagnosis for 14 datastores',
  )
  expect(troubledWords({ by_severity: {}, by_state: {}, ended: 0 }, 'arrays')).toBe('No arrays yet')
})

it('a mean that is as expected names no layer beside those above baseline', () => {
  const sentence = 'Normal: 0.74 ms per I/O, the kernel 0.15 ms above baseline'
  expect(meanWords({ state: 'judged', sentence: headOf(sentence), confidence: null, total_us: 740 })).toBe(
    'Average latency 0.74 ms (all I/O)',
  )
  const kernel = 'Kernel: 0.44 of 0.93 ms'
  expect(meanWords({ state: 'judged', sentence: headOf(kernel), confidence: 'confirmed', total_us: 930 })).toBe(
    `All I/O: ${kernel}`,
  )
  const idle = 'No I/O in this window'
  expect(meanWords({ state: 'idle', sentence: headOf(idle), confidence: null, total_us: null })).toBe(
    `All I/O: ${idle}`,
  )
})

const layer = (name: string, excess_us: number) => ({ name, label: name, layers: [name], excess_us })
const row = (name: string, given: Partial<OverviewRow> = {}) =>
  ({
    subject: { kind: 'datastore', id: 1, name },
    state: 'judged',
    severity: 'elevated',
    confidence: 'confirmed',
    layer: 'kernel',
    layers: [layer('kernel', 1200), layer('array', -300)],
    excess_us: 900,
    excess_outstanding: 27.4,
    until_at: null,
    sentence: headOf('Kernel queue on esx-14: 1.20 of 1.60 ms, 1.20 ms above baseline'),
    ...given,
  }) as OverviewRow
const sentence = headOf('Normal: 0.44 ms per I/O')
const normal = row('calm', { severity: 'normal', confidence: null, layer: null, sentence })
const totals = (elevated: number) => ({
  by_severity: { elevated, normal: 1 },
  by_state: { judged: elevated + 1 },
  ended: 0,
})

it('the worst is named with its layer and the I/Os that wait, after all that are above baseline', () => {
  expect(worstOf({ totals: totals(3), items: [normal, row('ds-sql-01'), row('ds-2')] })).toEqual({
    lead: '; worst: ',
    name: 'ds-sql-01',
    loses: 'Kernel queue on esx-14, 27 excess I/Os',
  })
})

it('the only one above baseline is no worst of several, and has no number where none is known', () => {
  const san = row('ds-1', {
    layer: 'san',
    sentence: headOf('SAN: 0.30 of 0.70 ms'),
    layers: [],
    excess_us: 300,
    excess_outstanding: null,
  })
  expect(worstOf({ totals: totals(1), items: [san] })).toEqual({ lead: ': ', name: 'ds-1', loses: 'SAN' })
})

it('what ended is not the worst of those above baseline', () => {
  const gone = row('ds-1', { until_at: '2026-11-22T11:46:00Z' })
  expect(worstOf({ totals: { ...totals(1), ended: 1 }, items: [gone, row('ds-2')] })).toMatchObject({
    lead: ': ',
    name: 'ds-2',
  })
})

it('none is the worst where none is above baseline, or where the one that is is not on the list', () => {
  expect(worstOf({ totals: totals(0), items: [normal] })).toBeNull()
  expect(worstOf({ totals: totals(1), items: [] })).toBeNull()
})

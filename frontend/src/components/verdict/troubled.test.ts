import { expect, it } from 'vitest'
import type { OverviewRow } from '../../api/types'
import { meanWords, troubledOf, troubledWords, worstOf } from './troubled'

it('whoever is over usual loses time, known layer or not; all of the kind are counted beside them', () => {
  const totals = {
    by_certainty: { certain: 2, undetermined: 1, healthy: 9 },
    by_state: { judged: 12, idle: 1, no_data: 1 },
    ended: 0,
  }
  expect(troubledOf(totals)).toBe(3)
  expect(troubledWords(totals, 'datastores')).toBe('3 of 14 datastores lose time')
  expect(troubledWords({ by_certainty: { likely: 1 }, by_state: { judged: 1 }, ended: 0 }, 'arrays')).toBe(
    '1 of 1 array loses time',
  )
  expect(troubledWords({ by_certainty: { healthy: 4 }, by_state: { judged: 4 }, ended: 0 }, 'vms')).toBe(
    'No VM loses time',
  )
})

it('what ended while it was looked at does not lose time any more, and is said to have', () => {
  const now = { by_certainty: { certain: 2, healthy: 12 }, by_state: { judged: 14 } }
  expect(troubledOf({ ...now, ended: 1 })).toBe(1)
  expect(troubledWords({ ...now, ended: 1 }, 'datastores')).toBe(
    '1 of 14 datastores loses time, 1 more did a moment ago',
  )
  expect(troubledWords({ ...now, ended: 2 }, 'datastores')).toBe('No datastore loses time, 2 did a moment ago')
})

it('what nobody judged is not called well', () => {
  expect(troubledWords({ by_certainty: {}, by_state: { no_data: 13, idle: 1 }, ended: 0 }, 'datastores')).toBe(
    'None of 14 datastores could be judged',
  )
  expect(troubledWords({ by_certainty: {}, by_state: {}, ended: 0 }, 'arrays')).toBe('No array is known')
})

it('a mean that is as expected names no layer beside those that lose time', () => {
  const sentence = 'Healthy: 0.74 ms per I/O, the kernel 0.15 ms over expected'
  expect(meanWords({ sentence, certainty: 'healthy', total_us: 740 })).toBe('Over all I/Os: 0.74 ms per I/O')
  const kernel = 'Kernel: 0.44 of 0.93 ms'
  expect(meanWords({ sentence: kernel, certainty: 'certain', total_us: 930 })).toBe(`Over all I/Os: ${kernel}`)
  const idle = 'No I/O in this window'
  expect(meanWords({ sentence: idle, certainty: 'unknown', total_us: null })).toBe(`Over all I/Os: ${idle}`)
})

const layer = (name: string, excess_us: number) => ({ name, label: name, layers: [name], excess_us })
const row = (name: string, given: Partial<OverviewRow> = {}) =>
  ({
    subject: { kind: 'datastore', id: 1, name },
    state: 'judged',
    certainty: 'certain',
    layer: 'kernel',
    layers: [layer('kernel', 1200), layer('array', -300)],
    excess_us: 900,
    impact: 27.4,
    until_at: null,
    sentence: 'Kernel queue on esx-14: 1.20 of 1.60 ms, 1.20 ms over usual',
    ...given,
  }) as OverviewRow
const healthy = row('calm', { certainty: 'healthy', layer: null, sentence: 'Healthy: 0.40 ms per I/O' })
const totals = (certain: number) => ({
  by_certainty: { certain, healthy: 1 },
  by_state: { judged: certain + 1 },
  ended: 0,
})

it('the worst is named with its layer and the I/Os that wait, after all of those that lose time', () => {
  expect(worstOf({ totals: totals(3), items: [healthy, row('ds-sql-01'), row('ds-2')] })).toEqual({
    lead: '; worst: ',
    name: 'ds-sql-01',
    loses: 'kernel queue on esx-14, 27 I/Os wait',
  })
})

it('the only one that loses time is no worst of several, and abbreviations keep their capitals', () => {
  const san = row('ds-1', { layer: 'san', sentence: 'SAN: 0.30 of 0.70 ms', layers: [], excess_us: 300, impact: null })
  expect(worstOf({ totals: totals(1), items: [san] })).toEqual({ lead: ': ', name: 'ds-1', loses: 'SAN' })
})

it('what ended is not the worst of those that lose time', () => {
  const gone = row('ds-1', { until_at: '2026-11-22T11:46:00Z' })
  expect(worstOf({ totals: { ...totals(2), ended: 1 }, items: [gone, row('ds-2')] })).toMatchObject({
    lead: ': ',
    name: 'ds-2',
  })
})

it('nobody is the worst where nobody loses time, or where who does is not on the list', () => {
  expect(worstOf({ totals: totals(0), items: [healthy] })).toBeNull()
  expect(worstOf({ totals: totals(1), items: [] })).toBeNull()
})

import { describe, expect, it } from 'vitest'
import type { AlertDetail, Diagnosis, RuleBody } from '../../api/types'
import { changesOf, nowOf, stillNamed } from './standingNow'

const NOW_MS = Date.parse('2026-11-22T11:50:00Z')
const measure = {
  quantity: 'latency',
  part: 'kernel',
  direction: 'all',
  unit: 'µs',
  finding: null,
  finding_severity: null,
} as const
const RULE = {
  when: [
    { quantity: 'latency', part: 'kernel', direction: 'all', at_least: 300, compared: 'lower', recover_below: null },
  ],
} as Pick<RuleBody, 'when'>
const newest = (at: string, value: number | null, lower: number | null = null) => ({
  measure,
  newest: { at, value, lower },
})
const words = (given: ReturnType<typeof newest>, rule = RULE) => nowOf(given, rule, 'utc', NOW_MS)?.words

describe('the newest number of an alert', () => {
  it('is now while its minute ended at most two minutes ago, and says how long ago', () => {
    const found = nowOf(newest('2026-11-22T11:48:00Z', 431, 402), RULE, 'utc', NOW_MS)
    expect(found).toEqual({
      isOld: false,
      words: 'Kernel 0.43 ms, ≥ 0.40 ms (lower bound), above 0.30 ms (lower bound); at 11:48, 1 min ago',
    })
    expect(nowOf(newest('2026-11-22T11:47:00Z', 431), RULE, 'utc', NOW_MS)?.isOld).toBe(false)
    expect(nowOf(newest('2026-11-22T11:46:59Z', 431), RULE, 'utc', NOW_MS)?.isOld).toBe(true)
  })

  it('is never called now when it is old: since when there is none, and what it was', () => {
    expect(words(newest('2026-11-21T02:31:00Z', 431, 402))).toBe(
      'no newer data since 21 Nov, 02:31; last value Kernel 0.43 ms, ≥ 0.40 ms (lower bound)',
    )
    expect(words(newest('2026-11-22T11:20:00Z', null))).toBe('no newer data since 11:20')
  })

  it('says on which side of the limit it is, as sure as the rule asks', () => {
    expect(words(newest('2026-11-22T11:48:00Z', 431, 200))).toContain('above 0.30 ms (estimate only)')
    expect(words(newest('2026-11-22T11:48:00Z', 250, 200))).toContain(', below 0.30 ms')
    expect(words(newest('2026-11-22T11:48:00Z', 298, 200))).toContain(
      'Kernel 0.30 ms, ≥ 0.20 ms (lower bound), just below 0.30 ms',
    )
    const guessed = { when: RULE.when.map((one) => ({ ...one, compared: 'estimate' as const })) }
    expect(words(newest('2026-11-22T11:48:00Z', 431, 200), guessed)).toMatch(/, above 0\.30 ms;/)
    expect(words(newest('2026-11-22T11:48:00Z', 431, 402), { when: [] })).toBe(
      'Kernel 0.43 ms, ≥ 0.40 ms (lower bound); at 11:48, 1 min ago',
    )
  })

  it('that was not measured is no zero, and of an alert that is over there is none', () => {
    expect(words(newest('2026-11-22T11:48:00Z', null))).toBe('Kernel not measured at 11:48')
    expect(nowOf({ measure, newest: null }, RULE, 'utc', NOW_MS)).toBeNull()
  })
})

describe('what changed since an alert fired', () => {
  const alert = {
    state: 'firing',
    layer: 'kernel',
    fired_at: '2026-11-22T11:30:00Z',
    since_at: '2026-11-22T11:41:00Z',
  } as AlertDetail
  const diagnosis = (layer: string | null) =>
    ({
      state: 'judged',
      layer,
      layer_label: layer === null ? null : 'Array',
      layers: layer === null ? [] : [{ name: layer, layers: layer.split('_') }],
      until_at: null,
    }) as Diagnosis
  const changes = (given: Partial<AlertDetail>, now?: Diagnosis) =>
    changesOf({ ...alert, ...given }, now, 'utc', NOW_MS)

  it('is nothing while it fires and the same layer is named, alone or with another', () => {
    expect(changes({})).toEqual([])
    expect(changes({}, diagnosis('kernel'))).toEqual([])
    expect(changes({}, diagnosis('kernel_san'))).toEqual([])
    expect(changes({}, { ...diagnosis('array'), state: 'too_few' })).toEqual([])
  })

  it('is told when the newest minutes stopped to name the layer', () => {
    const ended = { ...diagnosis('kernel'), layer_label: 'Kernel', until_at: '2026-11-22T11:46:00Z' }
    expect(changes({}, ended)).toEqual(['Kernel no longer the dominant layer since 11:46'])
    expect(stillNamed(alert, ended)).toBeNull()
    expect(stillNamed(alert, { ...ended, until_at: null })).toBe('diagnosis unchanged: Kernel')
  })

  it('names the layer that the diagnosis names now', () => {
    expect(changes({}, diagnosis('array'))).toEqual(['Dominant layer now: Array; at trigger: Kernel'])
    expect(changes({}, diagnosis(null))).toEqual(['No dominant layer now: Kernel at trigger'])
  })

  it('says since when it recovers or has no data', () => {
    expect(changes({ state: 'recovering' })).toEqual([
      'Recovering since 11:41: below threshold, resolve time not reached',
    ])
    expect(changes({ state: 'no_data' })).toEqual(['No data since 11:41: not counted as resolved'])
  })
})

import { describe, expect, it } from 'vitest'
import type { AlertDetail, RuleBody, Verdict } from '../../api/types'
import { changesOf, nowOf, stillNamed } from './standingNow'

const NOW_MS = Date.parse('2026-11-22T11:50:00Z')
const measure = { quantity: 'time', part: 'kernel', direction: 'all', unit: 'µs' } as const
const RULE = {
  when: [{ quantity: 'time', part: 'kernel', direction: 'all', at_least: 300, compared: 'lower', recover_below: null }],
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
      words: 'Kernel 0.43 ms, surely ≥ 0.40 ms, surely over 0.30 ms; at 11:48, 1 min ago',
    })
    expect(nowOf(newest('2026-11-22T11:47:00Z', 431), RULE, 'utc', NOW_MS)?.isOld).toBe(false)
    expect(nowOf(newest('2026-11-22T11:46:59Z', 431), RULE, 'utc', NOW_MS)?.isOld).toBe(true)
  })

  it('is never called now when it is old: since when there is none, and what it was', () => {
    expect(words(newest('2026-11-21T02:31:00Z', 431, 402))).toBe(
      'no newer numbers since 21 Nov, 02:31; then Kernel 0.43 ms, surely ≥ 0.40 ms',
    )
    expect(words(newest('2026-11-22T11:20:00Z', null))).toBe('no newer numbers since 11:20')
  })

  it('says on which side of the limit it is, as sure as the rule asks', () => {
    expect(words(newest('2026-11-22T11:48:00Z', 431, 200))).toContain('perhaps over 0.30 ms, not surely')
    expect(words(newest('2026-11-22T11:48:00Z', 250, 200))).toContain(', below 0.30 ms')
    expect(words(newest('2026-11-22T11:48:00Z', 298, 200))).toContain(
      'Kernel 0.30 ms, surely ≥ 0.20 ms, just below 0.30 ms',
    )
    const guessed = { when: RULE.when.map((one) => ({ ...one, compared: 'estimate' as const })) }
    expect(words(newest('2026-11-22T11:48:00Z', 431, 200), guessed)).toMatch(/, over 0\.30 ms;/)
    expect(words(newest('2026-11-22T11:48:00Z', 431, 402), { when: [] })).toBe(
      'Kernel 0.43 ms, surely ≥ 0.40 ms; at 11:48, 1 min ago',
    )
  })

  it('that was not measured is no zero, and of an alert that is over there is none', () => {
    expect(words(newest('2026-11-22T11:48:00Z', null))).toBe('Kernel was not measured at 11:48')
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
  const verdict = (layer: string | null) =>
    ({ state: 'judged', layer, layer_label: layer === null ? null : 'Array', until_at: null }) as Verdict
  const changes = (given: Partial<AlertDetail>, now?: Verdict) => changesOf({ ...alert, ...given }, now, 'utc', NOW_MS)

  it('is nothing while it fires and the same layer is named, alone or with another', () => {
    expect(changes({})).toEqual([])
    expect(changes({}, verdict('kernel'))).toEqual([])
    expect(changes({}, verdict('kernel_san'))).toEqual([])
    expect(changes({}, { ...verdict('array'), state: 'too_few' })).toEqual([])
  })

  it('is told when the newest minutes stopped to name the layer', () => {
    const ended = { ...verdict('kernel'), layer_label: 'Kernel', until_at: '2026-11-22T11:46:00Z' }
    expect(changes({}, ended)).toEqual(['Kernel is not named any more since 11:46'])
    expect(stillNamed(alert, ended)).toBeNull()
    expect(stillNamed(alert, { ...ended, until_at: null })).toBe('the verdict still names Kernel')
  })

  it('names the layer that the verdict names now', () => {
    expect(changes({}, verdict('array'))).toEqual(['Another layer now: Array; it was Kernel when it fired'])
    expect(changes({}, verdict(null))).toEqual(['No layer is named any more: it was Kernel when it fired'])
  })

  it('says since when it recovers or has no data', () => {
    expect(changes({ state: 'recovering' })).toEqual([
      'Recovering since 11:41: below its limit, but not for long enough yet to be over',
    ])
    expect(changes({ state: 'no_data' })).toEqual(['No data since 11:41: that is no recovery'])
  })
})

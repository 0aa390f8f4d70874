import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  brushedRange,
  diagnosedRange,
  PRESETS,
  parseRange,
  presetFor,
  presetMs,
  type Range,
  rangeBounds,
  rangeQuery,
  rangeSearch,
  shiftRange,
  trendRange,
} from './range'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)
const HOUR = 3_600_000

describe('the window in the URL', () => {
  it('survives a round trip through the URL', () => {
    const fixed = fc
      .tuple(fc.integer({ min: 0, max: 4e9 }), fc.integer({ min: 60, max: 1e7 }))
      .map(([from, length]): Range => ({ kind: 'fixed', from_ms: from * 1000, to_ms: (from + length) * 1000 }))
    const last = fc.constantFrom(...PRESETS).map((preset): Range => ({ kind: 'last', last: preset }))
    fc.assert(
      fc.property(fc.oneof(fixed, last), (range) => {
        expect(parseRange(rangeSearch(range))).toEqual(range)
      }),
    )
  })

  it('is live when the URL says nothing, nonsense, or an upside-down window', () => {
    const live = { kind: 'last', last: '5m' }
    expect(parseRange({})).toEqual(live)
    expect(parseRange({ last: '<script>', from: 'yesterday' })).toEqual(live)
    expect(parseRange({ from: '2026-11-20T12:00:00Z', to: '2026-11-20T11:00:00Z' })).toEqual(live)
  })

  it('live: the newest minutes are diagnosed and the last hour is drawn; any other range is both', () => {
    const live = parseRange({})
    expect([diagnosedRange(live), trendRange(live)]).toEqual([null, { kind: 'last', last: '1h' }])
    for (const range of [parseRange({ last: '1h' }), { kind: 'fixed', from_ms: NOW, to_ms: NOW + HOUR } as const])
      expect([diagnosedRange(range), trendRange(range)]).toEqual([range, range])
  })

  it('leaves "now" to the server', () => {
    expect(rangeQuery({ kind: 'last', last: '3h' })).toEqual({ from: '-3h', to: 'now' })
    expect(rangeQuery({ kind: 'fixed', from_ms: NOW, to_ms: NOW + HOUR })).toEqual({
      from: '2026-11-20T12:00:00Z',
      to: '2026-11-20T13:00:00Z',
    })
  })
})

describe('moving and zooming', () => {
  it('shifts by half a window and stands still afterwards', () => {
    const earlier = shiftRange({ kind: 'last', last: '1h' }, -1, NOW)
    expect(earlier).toEqual({ kind: 'fixed', from_ms: NOW - 1.5 * HOUR, to_ms: NOW - 0.5 * HOUR })
    expect(shiftRange(parseRange({}), -1, NOW)).toEqual(earlier)
    expect(shiftRange(earlier, 1, NOW)).toEqual({ kind: 'fixed', from_ms: NOW - HOUR, to_ms: NOW })
  })

  it('zooms to what was dragged in either direction, a minute at least', () => {
    expect(brushedRange(NOW + HOUR, NOW)).toEqual({ kind: 'fixed', from_ms: NOW, to_ms: NOW + HOUR })
    expect(brushedRange(NOW, NOW + 20_000)).toEqual({ kind: 'fixed', from_ms: NOW - 20_000, to_ms: NOW + 40_000 })
    expect(brushedRange(NOW, NOW)).toBeNull()
  })

  it('follows the clock again live, or by the shortest preset that holds a longer paused range', () => {
    expect(presetFor({ kind: 'fixed', from_ms: NOW, to_ms: NOW + HOUR })).toBe('5m')
    expect(presetFor({ kind: 'fixed', from_ms: NOW, to_ms: NOW + 2 * HOUR })).toBe('3h')
    expect(rangeBounds({ kind: 'last', last: '6h' }, NOW).from_ms).toBe(NOW - presetMs('6h'))
  })
})

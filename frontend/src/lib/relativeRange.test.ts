import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PRESETS, parseRange } from './range'
import { isRelative, resolvedRange } from './relativeRange'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)

describe('times before now in an address', () => {
  it('move with the clock where they end now and are as long as a usual range', () => {
    for (const preset of PRESETS)
      for (const to of [undefined, 'now'])
        expect(parseRange(resolvedRange({ from: `-${preset}`, to }, NOW))).toEqual({ kind: 'last', last: preset })
    expect(parseRange(resolvedRange({ from: '-60m' }, NOW))).toEqual({ kind: 'last', last: '1h' })
    expect(parseRange(resolvedRange({ from: '-1w' }, NOW))).toEqual({ kind: 'last', last: '7d' })
  })

  it('stand still, as they are when opened, where they end earlier or are of another length', () => {
    expect(resolvedRange({ from: '-2h', to: '-1h' }, NOW)).toEqual({
      from: '2026-11-20T10:00:00Z',
      to: '2026-11-20T11:00:00Z',
    })
    expect(resolvedRange({ from: '-45m' }, NOW)).toEqual({ from: '2026-11-20T11:15:00Z', to: '2026-11-20T12:00:00Z' })
    expect(resolvedRange({ from: '2026-11-20T09:00:00Z', to: 'now' }, NOW)).toEqual({
      from: '2026-11-20T09:00:00Z',
      to: '2026-11-20T12:00:00Z',
    })
  })

  it('end and begin as the API resolves them', () => {
    const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
    const moment = fc.tuple(fc.integer({ min: 0, max: 99_999 }), fc.constantFrom('s', 'm', 'h', 'd', 'w'))
    fc.assert(
      fc.property(moment, ([count, unit]) => {
        const { from, to } = resolvedRange({ from: `-${count}${unit}`, to: '-1s' }, NOW)
        expect([Date.parse(from ?? ''), Date.parse(to ?? '')]).toEqual([NOW - count * units[unit], NOW - 1000])
      }),
    )
  })

  it('win over a usual range beside them, as fixed times do, and leave other parameters alone', () => {
    expect(resolvedRange({ from: '-3h', last: '7d', kind: 'vms' } as never, NOW)).toEqual({ last: '3h', kind: 'vms' })
  })

  it('are left as they are where they cannot be read, and so is an address without any', () => {
    for (const search of [
      {},
      { last: '1h' },
      { from: '2026-11-20T09:00:00Z', to: '2026-11-20T10:00:00Z' },
      { from: '-5m', to: 'tomorrow' },
      { from: '-5x', to: 'now' },
      { from: '-5y' },
      { to: 'now' },
    ])
      expect(resolvedRange(search, NOW)).toBe(search)
  })

  it('are told from others by their look', () => {
    expect(['now', '-5m', '-3h', '-2w', '-90s'].every(isRelative)).toBe(true)
    expect(['', '5m', 'now-5m', '-5', '-123456m', '-1y', '2026-11-20T09:00:00Z'].some(isRelative)).toBe(false)
  })
})

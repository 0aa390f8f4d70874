import { describe, expect, it } from 'vitest'
import type { LateOut } from '../../api/types'
import { askedFor, begunIn, cutWords, shownLate } from './late'

const at = (clock: string) => Date.parse(`2026-11-22T${clock}Z`)
const NOW_MS = at('07:00:30')
const HOUR = { kind: 'fixed', from_ms: at('05:00:00'), to_ms: at('06:00:00') } as const
const late = (from: string, to: string): LateOut =>
  ({
    rule_id: 1,
    from_at: `2026-11-22T${from}Z`,
    to_at: `2026-11-22T${to}Z`,
    minutes: (at(to) - at(from)) / 60_000,
  }) as LateOut

describe('a breach that was found late', () => {
  it('is asked for with a minute more on either side', () => {
    expect(askedFor(HOUR, NOW_MS)).toEqual({ kind: 'fixed', from_ms: at('04:59:00'), to_ms: at('06:01:00') })
    expect(askedFor({ kind: 'last', last: '1h' }, NOW_MS)).toMatchObject({ from_ms: at('06:00:00') })
  })

  it('is whole where the window holds it, up to its edges', () => {
    const [inside, whole] = shownLate([late('05:10:00', '05:20:00'), late('05:00:00', '06:00:00')], HOUR, NOW_MS)
    expect(inside && cutWords(inside)).toBeNull()
    expect(whole && cutWords(whole)).toBeNull()
    expect(whole?.minutes).toBe(60)
  })

  it('says where it goes on beyond the window, and counts what is in it', () => {
    const [one] = shownLate([late('04:59:00', '05:20:00')], HOUR, NOW_MS)
    expect(one).toMatchObject({ from_at: '2026-11-22T05:00:00.000Z', to_at: '2026-11-22T05:20:00Z', minutes: 20 })
    expect(one && cutWords(one)).toBe('began before this window')
    const [other] = shownLate([late('05:40:00', '06:01:00')], HOUR, NOW_MS)
    expect(other).toMatchObject({ to_at: '2026-11-22T06:00:00.000Z', minutes: 20 })
    expect(other && cutWords(other)).toBe('continued after this window')
    const [both] = shownLate([late('04:59:00', '06:01:00')], HOUR, NOW_MS)
    expect(both && cutWords(both)).toBe('began before this window, continued after it')
  })

  it('is left out where only the minute beside the window is of it', () => {
    expect(shownLate([late('04:59:00', '05:00:00'), late('06:00:00', '06:01:00')], HOUR, NOW_MS)).toEqual([])
  })

  it('begins a window’s events only where it began in it, so that the window’s moving on moves none', () => {
    const asked = askedFor(HOUR, NOW_MS)
    const inside = late('05:00:00', '05:20:00')
    expect(begunIn([late('04:59:00', '05:20:00'), inside, late('06:00:00', '06:01:00')], asked)).toEqual([inside])
  })
})

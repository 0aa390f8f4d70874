import { describe, expect, it } from 'vitest'
import { formatAge, formatInstant, formatMoment, formatOffset, formatSeconds, formatWindow, instantMs } from './time'

const AT = Date.UTC(2026, 10, 20, 14, 5, 20)

describe('instants', () => {
  it('names the zone with every instant that stands on its own', () => {
    expect(formatInstant(AT, 'utc')).toBe('20 Nov 2026, 14:05:20 UTC')
  })

  it('leaves year and zone to the heading of a column', () => {
    expect([formatMoment(AT, 'utc'), formatMoment(AT, 'utc', true)]).toEqual(['20 Nov, 14:05', '20 Nov, 14:05:20'])
  })

  it('names the day once when a window stays within it', () => {
    const minute = AT - 20_000
    expect(formatWindow(minute, minute + 3_600_000, 'utc')).toBe('20 Nov, 14:05 to 15:05 UTC')
    expect(formatWindow(minute, minute + 86_400_000, 'utc')).toBe('20 Nov, 14:05 to 21 Nov, 14:05 UTC')
  })

  it('shows seconds only where a window needs them', () => {
    expect(formatWindow(AT, AT + 30_000, 'utc')).toBe('20 Nov, 14:05:20 to 14:05:50 UTC')
  })

  it('keeps a missing instant missing', () => {
    expect(instantMs(null)).toBeNull()
    expect(instantMs('2026-11-20T14:05:20Z')).toBe(AT)
  })
})

describe('lengths of time', () => {
  it('grows the unit with the age', () => {
    expect([500, 12_000, 240_000, 3 * 3_600_000, 5 * 86_400_000].map(formatAge)).toEqual([
      '1 s',
      '12 s',
      '4 min',
      '3 h',
      '5 d',
    ])
  })

  it('keeps two parts at most', () => {
    expect([0, 0.004, 0.41, 4.24, 12, 200, 7500].map(formatSeconds)).toEqual([
      '0 s',
      '4 ms',
      '0.41 s',
      '4.2 s',
      '12 s',
      '3 min 20 s',
      '2 h 5 min',
    ])
  })

  it('writes a clock offset with sign and error', () => {
    expect(formatOffset(-3, 0.021)).toBe('−3.00 s ± 0.02 s')
    expect(formatOffset(1.244, 0.03)).toBe('+1.24 s ± 0.03 s')
  })
})

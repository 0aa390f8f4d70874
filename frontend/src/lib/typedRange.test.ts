import { describe, expect, it } from 'vitest'
import { typedRange } from './typedRange'

const NOW = Date.parse('2026-11-21T14:05:20Z')
const at = (text: string) => typedRange(text, NOW, 'utc')
const between = (from: string, to: string) => ({ kind: 'fixed', from_ms: Date.parse(from), to_ms: Date.parse(to) })

describe('typed ranges', () => {
  it('take a span back from now, as a moving range where there is one', () => {
    expect(at('now-3h')).toEqual({ kind: 'last', last: '3h' })
    expect(at(' NOW-2h ')).toEqual(between('2026-11-21T12:05:20Z', '2026-11-21T14:05:20Z'))
    expect(at('now-2h to now-1h')).toEqual(between('2026-11-21T12:05:20Z', '2026-11-21T13:05:20Z'))
    expect(at('now-1w..now')).toEqual(between('2026-11-14T14:05:20Z', '2026-11-21T14:05:20Z'))
  })

  it('take times of a day', () => {
    expect(at('yesterday 21:00-21:30')).toEqual(between('2026-11-20T21:00:00Z', '2026-11-20T21:30:00Z'))
    expect(at('today 9:00 to 10:15')).toEqual(between('2026-11-21T09:00:00Z', '2026-11-21T10:15:00Z'))
    expect(at('2026-11-18 23:30-00:30')).toEqual(between('2026-11-18T23:30:00Z', '2026-11-19T00:30:00Z'))
    expect(at('2026-11-18 22:00-24:00')).toEqual(between('2026-11-18T22:00:00Z', '2026-11-19T00:00:00Z'))
  })

  it('take a time of day without a day as the latest past one, which ends now where it has not ended', () => {
    expect(at('21:00-21:30')).toEqual(between('2026-11-20T21:00:00Z', '2026-11-20T21:30:00Z'))
    expect(at('13:00-15:00')).toEqual(between('2026-11-21T13:00:00Z', '2026-11-21T14:05:20Z'))
  })

  it.each([
    '',
    'now',
    'now+1h',
    'now-1h to now-2h',
    'yesterday',
    'today 21:00-21:30',
    '25:00-26:00',
    '21:60-22:00',
    '2026-13-45 10:00-11:00',
    'now-99999w',
    'sql-01',
  ])('take %j as no range', (text) => {
    expect(at(text)).toBeNull()
  })
})

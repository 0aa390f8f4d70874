import { describe, expect, it } from 'vitest'
import type { MaintenanceOut } from '../../../api/types'
import { bodyOfWindow, draftOfWindow, nextStart, whenWords, windowProblems } from './when'

const WINDOW: MaintenanceOut = {
  id: 3,
  created_at: '2026-11-20T08:00:00Z',
  is_on: false,
  name: 'Patches',
  first_day: '2026-11-21',
  starts: '02:00:00',
  lasts_min: 240,
  zone: 'Europe/Berlin',
  repeat: 'weekly',
  weekdays: [6, 5],
  last_day: null,
  matchers: [],
}

describe('a maintenance window', () => {
  it('is said in one sentence', () => {
    expect(whenWords({ ...WINDOW, weekdays: [5, 6] })).toBe(
      'Every Saturday and Sunday from 02:00 for 4 h, Europe/Berlin, since 2026-11-21',
    )
    expect(whenWords({ ...WINDOW, repeat: 'daily', last_day: '2026-12-31' })).toBe(
      'Every day from 02:00 for 4 h, Europe/Berlin, since 2026-11-21, until 2026-12-31',
    )
    expect(whenWords({ ...WINDOW, repeat: 'once' })).toBe('2026-11-21 from 02:00 for 4 h, Europe/Berlin')
  })

  it('comes back from the form as it was, without what only the server says of it', () => {
    const { id: _id, created_at: _made, is_on: _on, ...body } = WINDOW
    expect(bodyOfWindow(draftOfWindow(WINDOW))).toEqual({ ...body, starts: '02:00', weekdays: [5, 6] })
  })

  it('that does not repeat has neither weekdays nor a last day', () => {
    const once = bodyOfWindow({ ...draftOfWindow(WINDOW), repeat: 'once', last_day: '2026-12-31' })
    expect([once.weekdays, once.last_day]).toEqual([[], null])
  })

  it('names what is missing', () => {
    const draft = draftOfWindow(WINDOW)
    expect(windowProblems(draft).size).toBe(0)
    const empty = { ...draft, name: ' ', weekdays: [], lasts_min: '' }
    expect([...windowProblems(empty).keys()]).toEqual(['name', 'lasts_min', 'weekdays'])
  })
})

describe('when a maintenance window begins next', () => {
  const next = (given: Partial<MaintenanceOut>, now: string) => {
    const at_ms = nextStart({ ...WINDOW, ...given }, Date.parse(now))
    return typeof at_ms === 'number' ? new Date(at_ms).toISOString() : at_ms
  }

  it('is told by the clock of its own zone, in summer and in winter', () => {
    // A Sunday at noon; Saturdays and Sundays at 02:00 in Berlin.
    expect(next({}, '2026-11-22T12:00:00Z')).toBe('2026-11-28T01:00:00.000Z')
    expect(next({ first_day: '2026-07-01' }, '2026-07-05T12:00:00Z')).toBe('2026-07-11T00:00:00.000Z')
    expect(next({ repeat: 'daily' }, '2026-11-22T00:30:00Z')).toBe('2026-11-22T01:00:00.000Z')
    expect(next({ repeat: 'daily' }, '2026-11-22T01:30:00Z')).toBe('2026-11-23T01:00:00.000Z')
  })

  it('is on its first day at the earliest, and never after its last', () => {
    expect(next({ first_day: '2027-03-06' }, '2026-11-22T12:00:00Z')).toBe('2027-03-06T01:00:00.000Z')
    expect(next({ repeat: 'once' }, '2026-11-20T12:00:00Z')).toBe('2026-11-21T01:00:00.000Z')
    expect(next({ repeat: 'once' }, '2026-11-22T12:00:00Z')).toBeNull()
    expect(next({ last_day: '2026-11-22' }, '2026-11-22T12:00:00Z')).toBeNull()
  })

  it('is not guessed in a zone that is not known', () => {
    expect(next({ zone: 'Mars/Olympus' }, '2026-11-22T12:00:00Z')).toBeUndefined()
  })
})

/** When a maintenance window is, in words, and as a form holds it. */

import type { MaintenanceBody, MaintenanceOut } from '../../../api/types'
import * as commonCopy from '../../../copy/common'
import * as formsCopy from '../../../copy/forms'
import * as silencesCopy from '../../../copy/silences'
import { formatSeconds } from '../../../lib/time'
import { isHalf } from './matchers'

/** 0 is Monday, as the API counts. */
export const WEEKDAYS = [
  silencesCopy.monday,
  silencesCopy.tuesday,
  silencesCopy.wednesday,
  silencesCopy.thursday,
  silencesCopy.friday,
  silencesCopy.saturday,
  silencesCopy.sunday,
] as const

export const REPEATS = [
  { value: 'once', label: silencesCopy.once },
  { value: 'daily', label: silencesCopy.everyDay },
  { value: 'weekly', label: silencesCopy.everyWeek },
] as const

/** "02:00:00" → "02:00". */
const clockOf = (starts: string) => starts.slice(0, 5)

type Times = Pick<MaintenanceOut, 'first_day' | 'starts' | 'lasts_min' | 'zone' | 'repeat' | 'weekdays' | 'last_day'>

/** "Every Saturday and Sunday from 02:00 for 4 h, Europe/Berlin, since 2026-11-21, until 2026-12-31". */
export function whenWords(window: Times): string {
  const { first_day, repeat, last_day = null } = window
  const clock = silencesCopy.clock(clockOf(window.starts), formatSeconds(window.lasts_min * 60), window.zone)
  if (repeat === 'once') return `${first_day} ${clock}`
  const days =
    repeat === 'daily'
      ? silencesCopy.daily
      : silencesCopy.weekly(listed(window.weekdays.map((day) => WEEKDAYS[day] ?? '?')))
  return silencesCopy.schedule(days, clock, first_day, last_day === null ? '' : silencesCopy.untilSuffix(last_day))
}

const DAY_MS = 86_400_000
/** Every weekday, and one more where today's is over. */
const DAYS_AHEAD = 8

/** When a window that is not on begins next, in ms; null where it never does again, undefined where this browser does not know its zone. */
export function nextStart(window: Times, now_ms: number): number | null | undefined {
  const clock = zonedClock(window.zone)
  if (clock === undefined) return undefined
  const today_ms = Math.floor(clock(now_ms) / DAY_MS) * DAY_MS
  const first_ms = Math.max(Date.parse(`${window.first_day}T00:00Z`), window.repeat === 'once' ? 0 : today_ms)
  const last_ms = Date.parse(
    `${window.repeat === 'once' ? window.first_day : (window.last_day ?? '9999-12-31')}T00:00Z`,
  )
  const [hours = 0, minutes = 0] = window.starts.split(':').map(Number)
  for (let day_ms = first_ms; day_ms <= Math.min(last_ms, first_ms + DAYS_AHEAD * DAY_MS); day_ms += DAY_MS) {
    const isItsDay = window.repeat !== 'weekly' || window.weekdays.includes((new Date(day_ms).getUTCDay() + 6) % 7)
    const at_ms = instantOf(day_ms + (hours * 60 + minutes) * 60_000, clock)
    if (isItsDay && at_ms >= now_ms) return at_ms
  }
  return null
}

/** The wall clock of a zone, as ms that would show it in UTC. */
function zonedClock(zone: string): ((at_ms: number) => number) | undefined {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    return (at_ms) => Date.parse(`${format.format(at_ms).replace(' ', 'T')}Z`)
  } catch (error) {
    // Servers know zones that a browser may not.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The instant at which the clock shows `wall_ms`; tried twice, since the first guess may be on the other side of a change in summer. */
function instantOf(wall_ms: number, clock: (at_ms: number) => number): number {
  const guess_ms = wall_ms - (clock(wall_ms) - wall_ms)
  return guess_ms - (clock(guess_ms) - wall_ms)
}

const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : commonCopy.andList(words.slice(0, -1).join(', '), words.at(-1) ?? '')

export type WindowDraft = Omit<MaintenanceBody, 'lasts_min' | 'last_day'> & {
  lasts_min: number | string
  /** Empty: for good. */
  last_day: string
}

export function draftOfWindow({ id: _id, created_at: _made, is_on: _on, ...window }: MaintenanceOut): WindowDraft {
  return { ...window, starts: clockOf(window.starts), last_day: window.last_day ?? '' }
}

/** What repeats only in a weekly window is left out of the others. */
export function bodyOfWindow(draft: WindowDraft): MaintenanceBody {
  const isOnce = draft.repeat === 'once'
  return {
    ...draft,
    name: draft.name.trim(),
    lasts_min: Number(draft.lasts_min),
    weekdays: draft.repeat === 'weekly' ? [...draft.weekdays].sort() : [],
    last_day: isOnce || draft.last_day === '' ? null : draft.last_day,
  }
}

/** What can be seen to be missing without asking the server, by field. */
export function windowProblems(draft: WindowDraft): Map<string, string> {
  const problems = new Map<string, string>()
  if (draft.name.trim() === '') problems.set('name', formsCopy.nameRequired)
  if (draft.first_day === '') problems.set('first_day', silencesCopy.dayRequired)
  if (draft.starts === '') problems.set('starts', silencesCopy.timeRequired)
  if (!(Number(draft.lasts_min) >= 1)) problems.set('lasts_min', silencesCopy.minuteRequired)
  if (draft.zone.trim() === '') problems.set('zone', silencesCopy.zoneRequired)
  if (draft.repeat === 'weekly' && draft.weekdays.length === 0) problems.set('weekdays', silencesCopy.weekdayRequired)
  if (isHalf(draft.matchers)) problems.set('matchers', silencesCopy.conditionIncomplete)
  return problems
}

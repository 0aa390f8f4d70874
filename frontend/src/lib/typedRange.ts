/** Time ranges as people type them: "now-2h", "now-2h to now-1h", "yesterday 21:00-21:30", "2026-11-20 21:00-21:30", "21:00-21:30". */

import { PRESETS, type Range } from './range'
import { fromWallClock, wallClock, type Zone } from './time'

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const DAY_MS = UNIT_MS.d
const SHORTEST_MS = 60_000
/** As far back as anything is kept. */
const LONGEST_MS = 400 * DAY_MS

const MOMENT = String.raw`now(?:-(\d{1,5})([mhdw]))?`
const BACK = new RegExp(`^${MOMENT}$`)
const BETWEEN = new RegExp(String.raw`^${MOMENT} *(?:to|\.\.|–) *${MOMENT}$`)
const ON_A_DAY = /^(?:(today|yesterday|\d{4}-\d{2}-\d{2}) +)?(\d{1,2}):(\d{2}) *(?:-|–|to) *(\d{1,2}):(\d{2})$/

/** The range that a text means, in the viewer's zone; null for what is none. A time of day without a day is its latest past one. */
export function typedRange(text: string, now_ms: number, zone: Zone): Range | null {
  const typed = text.trim().toLowerCase()
  return relative(typed, now_ms) ?? onADay(typed, now_ms, zone)
}

function relative(typed: string, now_ms: number): Range | null {
  const back = BACK.exec(typed)
  if (back !== null && back[1] !== undefined) {
    const last = PRESETS.find((preset) => preset === `${back[1]}${back[2]}`)
    return last === undefined ? fixed(moment(back[1], back[2], now_ms), now_ms, now_ms) : { kind: 'last', last }
  }
  const between = BETWEEN.exec(typed)
  if (between === null) return null
  return fixed(moment(between[1], between[2], now_ms), moment(between[3], between[4], now_ms), now_ms)
}

const moment = (count: string | undefined, unit: string | undefined, now_ms: number): number =>
  count === undefined ? now_ms : now_ms - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]

function onADay(typed: string, now_ms: number, zone: Zone): Range | null {
  const found = ON_A_DAY.exec(typed)
  if (found === null) return null
  const [, day, ...clock] = found
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = clock.map(Number)
  if (Math.max(fromHour, toHour) > 24 || Math.max(fromMinute, toMinute) > 59) return null
  const today = wallClock(now_ms, zone).slice(0, 10)
  const onDay = (date: string) => {
    const from_ms = at(date, fromHour, fromMinute, zone)
    const to_ms = at(date, toHour, toMinute, zone)
    return fixed(from_ms, to_ms > from_ms ? to_ms : at(dayAfter(date, 1), toHour, toMinute, zone), now_ms)
  }
  if (day === 'yesterday') return onDay(dayAfter(today, -1))
  if (day !== undefined && day !== 'today') return onDay(day)
  return onDay(today) ?? (day === undefined ? onDay(dayAfter(today, -1)) : null)
}

/** `hour` may be 24: the midnight at the end of the day. */
function at(date: string, hour: number, minute: number, zone: Zone): number {
  const on = hour === 24 ? dayAfter(date, 1) : date
  const clock = `${String(hour % 24).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`
  return fromWallClock(`${on} ${clock}`, zone)
}

/** A date, so many days later; "" for what is no date. */
function dayAfter(date: string, days: number): string {
  const day_ms = Date.parse(`${date}T00:00:00Z`)
  return Number.isFinite(day_ms) ? new Date(day_ms + days * DAY_MS).toISOString().slice(0, 10) : ''
}

/** Null for what has not begun, is empty, or is older than anything that is kept; what has not ended ends now. */
function fixed(from_ms: number, to_ms: number, now_ms: number): Range | null {
  const end_ms = Math.min(to_ms, now_ms)
  const isUsable = end_ms - from_ms >= SHORTEST_MS && now_ms - from_ms <= LONGEST_MS
  return isUsable ? { kind: 'fixed', from_ms, to_ms: end_ms } : null
}

/** Instants, ages and windows. Inside everything is ms since 1970 UTC; the zone is only a way to print. */
import * as unitsCopy from '../copy/units'
import { serverNow } from './clock'

export type Zone = 'utc' | 'local'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

const caches: Record<string, Intl.DateTimeFormat> = {}

function formatter(zone: Zone, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = `${zone}:${key}`
  caches[id] ??= new Intl.DateTimeFormat('en-GB', { ...options, ...(zone === 'utc' ? { timeZone: 'UTC' } : {}) })
  return caches[id]
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const DATE = { day: 'numeric', month: 'short' } as const

/** "14:05", or "14:05:20" with seconds. */
export function formatClock(at_ms: number, zone: Zone, seconds = false): string {
  return seconds
    ? formatter(zone, 'hms', { ...CLOCK, second: '2-digit' }).format(at_ms)
    : formatter(zone, 'hm', CLOCK).format(at_ms)
}

/** "20 Nov". */
export function formatDay(at_ms: number, zone: Zone): string {
  return formatter(zone, 'day', DATE).format(at_ms)
}

/** "20 Nov, 14:05", for columns whose heading names the zone. */
export function formatMoment(at_ms: number, zone: Zone, seconds = false): string {
  return `${formatDay(at_ms, zone)}, ${formatClock(at_ms, zone, seconds)}`
}

/** "20 Nov 2026, 14:05:20 UTC": an instant that stands on its own. */
export function formatInstant(at_ms: number, zone: Zone): string {
  const text = formatter(zone, 'full', { ...DATE, year: 'numeric', ...CLOCK, second: '2-digit' }).format(at_ms)
  return `${text} ${zoneName(zone, at_ms)}`
}

/** "UTC" or the viewer's zone as an offset, "UTC+2": abbreviations are ambiguous. */
export function zoneName(zone: Zone, at_ms: number = serverNow()): string {
  if (zone === 'utc') return 'UTC'
  const minutes = -new Date(at_ms).getTimezoneOffset()
  if (minutes === 0) return 'UTC+0'
  const hours = Math.trunc(Math.abs(minutes) / 60)
  const rest = Math.abs(minutes) % 60
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`
}

/** "20 Nov, 14:05 to 15:05 UTC": a window in the fewest words. */
export function formatWindow(from_ms: number, to_ms: number, zone: Zone): string {
  const [fromDay, toDay] = [formatDay(from_ms, zone), formatDay(to_ms, zone)]
  const end = fromDay === toDay ? '' : `${toDay}, `
  const seconds = from_ms % MINUTE_MS !== 0 || to_ms % MINUTE_MS !== 0
  return unitsCopy.window(
    fromDay,
    formatClock(from_ms, zone, seconds),
    end,
    formatClock(to_ms, zone, seconds),
    zoneName(zone, from_ms),
  )
}

/** "just now", "12 s", "4 min", "3 h", "5 d": short enough for a table cell. */
export function formatAge(age_ms: number): string {
  const seconds = Math.round(age_ms / 1000)
  if (seconds < 1) return unitsCopy.justNow
  if (seconds < 100) return `${seconds} s`
  if (age_ms < 100 * MINUTE_MS) return `${Math.round(age_ms / MINUTE_MS)} min`
  if (age_ms < 48 * HOUR_MS) return `${Math.round(age_ms / HOUR_MS)} h`
  return `${Math.round(age_ms / DAY_MS)} d`
}

/** "12 s ago", "just now". */
export const formatAgo = (age_ms: number): string =>
  age_ms < 500 ? unitsCopy.justNow : unitsCopy.ago(formatAge(age_ms))

/** A length of time given in seconds: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds)
  if (size < 0.01) return size === 0 ? '0 s' : `${Math.max(1, Math.round(size * 1000))} ms`
  if (size < 10) return `${size.toFixed(size < 1 ? 2 : 1)} s`
  if (size < 60) return `${Math.round(size)} s`
  const total = Math.round(size)
  const [hours, minutes, rest] = [Math.floor(total / 3600), Math.floor((total % 3600) / 60), total % 60]
  if (hours > 0) return minutes ? `${hours} h ${minutes} min` : `${hours} h`
  return rest ? `${minutes} min ${rest} s` : `${minutes} min`
}

/** A clock offset with its sign and error: "+1.24 s ± 0.03 s". */
export function formatOffset(offset_s: number, error_s: number): string {
  const sign = offset_s < 0 ? '−' : '+'
  const error = error_s < 0.01 ? `${Math.max(1, Math.round(error_s * 1000))} ms` : `${error_s.toFixed(2)} s`
  return `${sign}${Math.abs(offset_s).toFixed(2)} s ± ${error}`
}

/** An ISO instant from the API as ms, or null where there is none. */
export function instantMs(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}

/** The wall clock of `zone` as "2026-11-20 14:05:20": what date pickers speak. */
export function wallClock(at_ms: number, zone: Zone): string {
  const date = new Date(zone === 'utc' ? at_ms : at_ms - new Date(at_ms).getTimezoneOffset() * MINUTE_MS)
  return date.toISOString().slice(0, 19).replace('T', ' ')
}

/** The instant at which the wall clock of `zone` shows `text`; NaN when it is not a time. */
export function fromWallClock(text: string, zone: Zone): number {
  return Date.parse(text.replace(' ', 'T') + (zone === 'utc' ? 'Z' : ''))
}

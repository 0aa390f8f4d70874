/**
 * The time range that rules every number of a page, as it stands in the URL: `last=1h` moves with the clock, `from`/`to` (UTC) stand still.
 * A link with a fixed range shows everyone the same picture, which is what a joint review needs. Without either the page is live:
 * the newest five minutes, moving, with trends over the last hour.
 */
import * as unitsCopy from '../copy/units'
import { OFFLINE } from './offline'

export type Range = { kind: 'last'; last: Preset } | { kind: 'fixed'; from_ms: number; to_ms: number }

export const PRESETS = ['5m', '15m', '1h', '3h', '6h', '12h', '24h', '2d', '7d', '30d'] as const
export type Preset = (typeof PRESETS)[number]
/** The newest minutes: what is shown without a range in the address. */
const LIVE: Preset = '5m'
/** How far back trends go while the page is live. */
const LIVE_TREND: Preset = '1h'

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const SHORTEST_MS = 60_000

export interface RangeSearch {
  last?: string
  from?: string
  to?: string
}

export function presetMs(preset: Preset): number {
  return Number.parseInt(preset, 10) * UNIT_MS[preset.slice(-1) as keyof typeof UNIT_MS]
}

const PRESET_WORDS = { m: unitsCopy.minutes, h: unitsCopy.hours, d: unitsCopy.days } as const

/** "Live · last 5 min", "Last hour", "Last 15 minutes". In an offline environment nothing is live. */
export function presetLabel(preset: Preset, offline = OFFLINE): string {
  if (preset === LIVE && offline === null) return unitsCopy.liveSpan
  if (preset === '1h') return unitsCopy.lastHour
  return unitsCopy.lastSpan(Number.parseInt(preset, 10), PRESET_WORDS[preset.slice(-1) as keyof typeof PRESET_WORDS])
}

/** Reads the window out of a URL. What cannot be read falls back to live, so an old link always opens; what is wrong with it is said by the page. */
export function parseRange(search: RangeSearch): Range {
  const from_ms = Date.parse(search.from ?? '')
  const to_ms = Date.parse(search.to ?? '')
  if (Number.isFinite(from_ms) && Number.isFinite(to_ms) && to_ms - from_ms >= SHORTEST_MS) {
    return { kind: 'fixed', from_ms, to_ms }
  }
  const last = PRESETS.find((preset) => preset === search.last) ?? LIVE
  return { kind: 'last', last }
}

export const isLive = (range: Range): boolean => range.kind === 'last' && range.last === LIVE

/** What a diagnosis is about: the whole range; null while the page is live: the newest minutes with a diagnosis, which end a little before now. */
export const diagnosedRange = (range: Range): Range | null => (isLive(range) ? null : range)

/** What is drawn over time: the range; while the page is live the last hour, which every such chart says. */
export const trendRange = (range: Range): Range => (isLive(range) ? { kind: 'last', last: LIVE_TREND } : range)

/** The search parameters of a window; the default window needs none. */
export function rangeSearch(range: Range): RangeSearch {
  if (range.kind === 'last')
    return { last: range.last === LIVE ? undefined : range.last, from: undefined, to: undefined }
  return { last: undefined, from: isoSeconds(range.from_ms), to: isoSeconds(range.to_ms) }
}

/** The window in ms, seen from `now_ms`. */
export function rangeBounds(range: Range, now_ms: number): { from_ms: number; to_ms: number } {
  if (range.kind === 'fixed') return { from_ms: range.from_ms, to_ms: range.to_ms }
  return { from_ms: now_ms - presetMs(range.last), to_ms: now_ms }
}

/** The window as the API takes it; a moving window is resolved by the server's clock, not by the browser's. */
export function rangeQuery(range: Range): { from: string; to: string } {
  if (range.kind === 'last') return { from: `-${range.last}`, to: 'now' }
  return { from: isoSeconds(range.from_ms), to: isoSeconds(range.to_ms) }
}

/** What is drawn over time, half its length earlier (-1) or later (+1). It stands still afterwards. */
export function shiftRange(range: Range, direction: -1 | 1, now_ms: number): Range {
  const { from_ms, to_ms } = rangeBounds(trendRange(range), now_ms)
  const step = ((to_ms - from_ms) / 2) * direction
  return { kind: 'fixed', from_ms: from_ms + step, to_ms: to_ms + step }
}

/** A fixed window of what was dragged over a chart, at least a minute long; null when it was only a click. */
export function brushedRange(a_ms: number, b_ms: number): Range | null {
  const from_ms = Math.floor(Math.min(a_ms, b_ms) / 1000) * 1000
  const to_ms = Math.ceil(Math.max(a_ms, b_ms) / 1000) * 1000
  if (to_ms - from_ms < 1000) return null
  const missing = Math.max(0, SHORTEST_MS - (to_ms - from_ms)) / 2
  return { kind: 'fixed', from_ms: from_ms - missing, to_ms: to_ms + missing }
}

/** Where a paused view goes when it follows the clock again: live, where its trends hold the range; else the shortest preset that does. */
export function presetFor(range: Range): Preset {
  if (range.kind === 'last') return range.last
  const length = range.to_ms - range.from_ms
  if (length <= presetMs(LIVE_TREND)) return LIVE
  return PRESETS.find((preset) => presetMs(preset) >= length) ?? '30d'
}

/** "2026-11-20T14:05:20Z". */
export function isoSeconds(at_ms: number): string {
  return `${new Date(at_ms).toISOString().slice(0, 19)}Z`
}

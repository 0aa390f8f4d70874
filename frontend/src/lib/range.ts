/**
 * The time window every page shares, as it stands in the URL: `last=1h` moves with the clock, `from`/`to` (UTC) stand still.
 * A link with a fixed window shows everyone the same picture, which is what a joint review needs.
 */
import * as unitsCopy from '../copy/units'

export type Range = { kind: 'last'; last: Preset } | { kind: 'fixed'; from_ms: number; to_ms: number }

export const PRESETS = ['15m', '1h', '3h', '6h', '12h', '24h', '2d', '7d', '30d'] as const
export type Preset = (typeof PRESETS)[number]
const DEFAULT_PRESET: Preset = '1h'

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

/** "Last hour", "Last 15 minutes". */
export function presetLabel(preset: Preset): string {
  if (preset === '1h') return unitsCopy.lastHour
  return unitsCopy.lastSpan(Number.parseInt(preset, 10), PRESET_WORDS[preset.slice(-1) as keyof typeof PRESET_WORDS])
}

/** Reads the window out of a URL. What cannot be read falls back to the last hour, so an old link always opens. */
export function parseRange(search: RangeSearch): Range {
  const from_ms = Date.parse(search.from ?? '')
  const to_ms = Date.parse(search.to ?? '')
  if (Number.isFinite(from_ms) && Number.isFinite(to_ms) && to_ms - from_ms >= SHORTEST_MS) {
    return { kind: 'fixed', from_ms, to_ms }
  }
  const last = PRESETS.find((preset) => preset === search.last) ?? DEFAULT_PRESET
  return { kind: 'last', last }
}

/** What a diagnosis is about: a window that stands still as a whole, a moving one too where `span` says so; null: the newest minutes. */
export const judgedRange = (range: Range, span: string): Range | null =>
  range.kind === 'fixed' || span === 'window' ? range : null

/** The search parameters of a window; the default window needs none. */
export function rangeSearch(range: Range): RangeSearch {
  if (range.kind === 'last')
    return { last: range.last === DEFAULT_PRESET ? undefined : range.last, from: undefined, to: undefined }
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

/** The window half its length earlier (-1) or later (+1). It stands still afterwards. */
export function shiftRange(range: Range, direction: -1 | 1, now_ms: number): Range {
  const { from_ms, to_ms } = rangeBounds(range, now_ms)
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

/** The shortest preset that holds the window: where a frozen view goes when it is set live again. */
export function presetFor(range: Range): Preset {
  if (range.kind === 'last') return range.last
  const length = range.to_ms - range.from_ms
  return PRESETS.find((preset) => presetMs(preset) >= length) ?? '30d'
}

/** "2026-11-20T14:05:20Z". */
export function isoSeconds(at_ms: number): string {
  return `${new Date(at_ms).toISOString().slice(0, 19)}Z`
}

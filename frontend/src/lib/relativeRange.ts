/** Addresses with times before now, as the API takes them: "from=-5m", "from=-3h&to=now", "from=-2h&to=-1h". */

import { isoSeconds, PRESETS, presetMs, type RangeSearch, rangeSearch } from './range'

const RELATIVE = /^(?:now|-(\d{1,5})([smhdw]))$/
const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export const isRelative = (text: string): boolean => RELATIVE.test(text)

/**
 * Such an address as pages have it. What ends now and is as long as one of the usual ranges moves with the clock; any other stands
 * still, as it is when it is opened. What cannot be read stays as it is, and the page says so.
 */
export function resolvedRange<Search extends RangeSearch>(search: Search, now_ms: number): Search {
  const { from = '', to = 'now' } = search
  if (!isRelative(from) && !isRelative(search.to ?? '')) return search
  const [from_ms, to_ms] = [instant(from, now_ms), instant(to, now_ms)]
  if (!Number.isFinite(from_ms) || !Number.isFinite(to_ms)) return search
  const last = isRelative(from) && to === 'now' && PRESETS.find((preset) => presetMs(preset) === now_ms - from_ms)
  if (last) return { ...search, ...rangeSearch({ kind: 'last', last }) }
  return { ...search, from: isoSeconds(from_ms), to: isoSeconds(to_ms) }
}

function instant(text: string, now_ms: number): number {
  const found = RELATIVE.exec(text)
  if (found === null) return Date.parse(text)
  const [, count = '0', unit = 's'] = found
  return now_ms - Number(count) * (UNIT_MS[unit] ?? 0)
}

/** How fast an upload goes: bytes that were confirmed within the last seconds, and the time that the rest takes at this rate. */

interface Confirmed {
  at_ms: number
  bytes: number
}

/** What came of an upload since it was begun or resumed, newest last. isBroken: the last part failed, and is tried again. */
export interface Track {
  confirmed: readonly Confirmed[]
  isBroken: boolean
}

/** rate_bytes_per_s, left_s: null while too little was measured. */
export interface Pace {
  isWaiting: boolean
  rate_bytes_per_s: number | null
  left_s: number | null
}

export const NO_TRACK: Track = { confirmed: [], isBroken: false }

const WINDOW_MS = 10_000
/** A part may take longer than the window: then the window is that part and the one before. */
const FEWEST = 3
/** A rate of less than this says more about the first part than about the connection. */
const SHORTEST_MS = 2_000
/** Without an answer for so long, and for three times as long as a part takes, nothing comes through. */
const STALLED_MS = 8_000
/** As long as nothing says how long a part takes. */
const FIRST_STALLED_MS = 30_000

export const withProgress = (track: Track, bytes: number, isBroken: boolean, at_ms: number): Track =>
  isBroken ? { ...track, isBroken } : withConfirmed(track, bytes, at_ms)

/** A resumed upload is measured anew: the pause belongs to no rate, and neither does what was there before. */
function withConfirmed({ confirmed, isBroken }: Track, bytes: number, at_ms: number): Track {
  const own = isBroken ? [] : confirmed
  const inWindow = own.filter((each) => at_ms - each.at_ms <= WINDOW_MS)
  const kept = inWindow.length >= FEWEST - 1 ? inWindow : own.slice(1 - FEWEST)
  return { confirmed: [...kept, { at_ms, bytes }], isBroken: false }
}

export function paceOf({ confirmed, isBroken }: Track, size: number, now_ms: number): Pace {
  const [first, last] = [confirmed[0], confirmed.at(-1)]
  if (!first || !last) return { isWaiting: isBroken, rate_bytes_per_s: null, left_s: null }
  const span_ms = last.at_ms - first.at_ms
  const parts = confirmed.length - 1
  const stalled_ms = parts === 0 ? FIRST_STALLED_MS : Math.max(STALLED_MS, (3 * span_ms) / parts)
  const isWaiting = isBroken || now_ms - last.at_ms > stalled_ms
  if (isWaiting || span_ms < SHORTEST_MS || last.bytes <= first.bytes)
    return { isWaiting, rate_bytes_per_s: null, left_s: null }
  const rate_bytes_per_s = ((last.bytes - first.bytes) * 1000) / span_ms
  return { isWaiting, rate_bytes_per_s, left_s: (size - last.bytes) / rate_bytes_per_s }
}

/** As precise as a time that is still to come can be: to 1 s below a minute, to 10 s below ten, else to a minute. */
export function roundLeft(left_s: number): number {
  const step_s = left_s < 60 ? 1 : left_s < 600 ? 10 : 60
  return Math.max(1, Math.ceil(left_s / step_s) * step_s)
}

/** How old a wall's numbers may be before it says so: by shape first, then by saying nothing. */

const INTERVAL_MS = 60_000
/** A minute is attributed at the latest this long after its end, also when a source is silent. */
const GRACE_MS = 120_000
const DASHED_AFTER = 2
const BLANK_AFTER = 4

export type AgeState = 'fresh' | 'dashed' | 'blank'

/** `age_ms`: since the end of the newest attributed minute; null before there was one. */
export function ageState(age_ms: number | null): AgeState {
  if (age_ms === null) return 'blank'
  const missed = (age_ms - GRACE_MS) / INTERVAL_MS
  if (missed >= BLANK_AFTER) return 'blank'
  return missed >= DASHED_AFTER ? 'dashed' : 'fresh'
}

const DAY_MS = 86_400_000
const JITTER_MS = 3_600_000

/** When a wall loads itself again: once a day, not all walls at once. `random` lies in [0, 1). */
export function reloadDelayMs(random: number): number {
  return DAY_MS - JITTER_MS / 2 + JITTER_MS * random
}

/** Time zones of clocks that do not name theirs, as offsets from UTC. Pure. */

const EARLIEST_MINUTES = -12 * 60
const LATEST_MINUTES = 14 * 60
const STEP_MINUTES = 15

const two = (number: number) => String(number).padStart(2, '0')

export function offsetText(minutes: number): string {
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

export const OFFSETS_MINUTES: readonly number[] = Array.from(
  { length: (LATEST_MINUTES - EARLIEST_MINUTES) / STEP_MINUTES + 1 },
  (_, index) => EARLIEST_MINUTES + index * STEP_MINUTES,
)

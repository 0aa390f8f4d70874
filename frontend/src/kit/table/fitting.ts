/** Which columns a table has room for. */

interface Sized {
  width: number
  /** Shown on screens from this many px on. */
  from?: number | undefined
}

/** Columns that ask for a screen at least this wide make way where their table is narrower than that screen lets it be. */
const OPTIONAL_FROM = 1200

/**
 * What is left of `columns` (as wide as they are on this screen) when those that ask for the widest screens make way until the rest fits
 * into `room_px`; of equals the rightmost first. What every screen shows stays, and is scrolled to. Null: there is room for all.
 */
export function fitting<Column extends Sized>(columns: Column[], room_px: number | null): Column[] {
  if (room_px === null) return columns
  const left = [...columns]
  let sum = left.reduce((all, { width }) => all + width, 0)
  while (sum > room_px) {
    const widest = Math.max(...left.map(({ from = 0 }) => from))
    if (widest < OPTIONAL_FROM) return left
    const [gone] = left.splice(
      left.findLastIndex(({ from }) => from === widest),
      1,
    )
    sum -= gone?.width ?? 0
  }
  return left
}

/** Which columns of a table stand beside each other, and which go on in the second line of its rows. */

import type { Priority } from './Column'

interface Sized {
  width: number
  minWidth?: number
  roomyWidth?: number
  priority?: Priority
}

export interface Arrangement<Column> {
  standing: readonly Column[]
  folded: readonly Column[]
}

/** Columns from this priority on are left out where there is no room. */
const OPTIONAL = 3
/** What the lines below a name need to be read, in px. */
const LINES_PX = 190
/** A narrower table is one of names with lines below them; a wider one keeps what columns it can, and scrolls to those that were chosen. */
const WIDE_FROM_PX = 640

const priorityOf = ({ priority = 2 }: Sized) => priority
const least = ({ width, minWidth = width }: Sized) => minWidth
const sum = <Column extends Sized>(columns: readonly Column[], px: (column: Column) => number) =>
  columns.reduce((all, column) => all + px(column), 0)

/**
 * `columns` in a table with `room_px`; `isChosen`: somebody chose just these, so that none is left out. Columns keep their order. The first
 * one is whose numbers a row has: it stays, and so do those of priority 1, to which the table scrolls where it has to.
 */
export function arrange<Column extends Sized>(
  columns: readonly Column[],
  room_px: number,
  isChosen = false,
): Arrangement<Column> {
  if (isChosen && room_px >= WIDE_FROM_PX) return { standing: columns, folded: [] }
  const wanted = isChosen ? columns : withoutOptional(columns, room_px)
  if (sum(wanted, least) <= room_px) return { standing: wanted, folded: [] }
  return folding(wanted, room_px)
}

/** Optional columns make way, the highest priority first, of equals the rightmost. Grown names keep the width that they like. */
function withoutOptional<Column extends Sized>(columns: readonly Column[], room_px: number): readonly Column[] {
  const left = [...columns]
  while (sum(left, ({ width }) => width) > room_px) {
    const highest = Math.max(...left.slice(1).map(priorityOf))
    if (highest < OPTIONAL) break
    left.splice(1 + left.slice(1).findLastIndex((column) => priorityOf(column) === highest), 1)
  }
  return left
}

function folding<Column extends Sized>(columns: readonly Column[], room_px: number): Arrangement<Column> {
  const [subject, ...others] = columns
  if (subject === undefined) return { standing: [], folded: [] }
  const folded = new Set<Column>()
  let needed_px = Math.max(least(subject), LINES_PX) + sum(others, least)
  for (const column of others.toReversed()) {
    if (needed_px <= room_px && room_px >= WIDE_FROM_PX) break
    if (priorityOf(column) === 1) continue
    folded.add(column)
    needed_px -= least(column)
  }
  return {
    standing: columns.filter((column) => !folded.has(column)),
    folded: others.filter((column) => folded.has(column)),
  }
}

/**
 * How wide a standing column is: those that do not grow keep their width where there is room, and the least of it where there is not. What
 * is left goes to the columns with a roomy width, from the left.
 */
export function widthIn<Column extends Sized>({ standing, folded }: Arrangement<Column>, room_px: number) {
  let left_px = room_px - sum(standing, ({ width }) => width)
  if (folded.length > 0 || left_px < 0) return least
  const widths = new Map<Column, number>()
  for (const column of standing) {
    const { width, roomyWidth = width } = column
    const more_px = Math.min(left_px, Math.max(0, roomyWidth - width))
    widths.set(column, width + more_px)
    left_px -= more_px
  }
  return (column: Column) => widths.get(column) ?? column.width
}

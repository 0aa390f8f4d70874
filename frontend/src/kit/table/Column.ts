/** One column of a table, on every screen. */

import type { ReactNode } from 'react'
import type { CsvCell } from '../../lib/csv'

/**
 * Where a table has no room for all of its columns, the highest numbers are left out first.
 *
 * 1: stands beside the others however narrow the table is, which then scrolls; 2: goes on as part of the row's second line; 3 to 5: are
 * left out, unless somebody chose them.
 */
export type Priority = 1 | 2 | 3 | 4 | 5

export interface Column<Row> {
  id: string
  header: string
  /** Width in px; the columns that `grow` share what is left. */
  width: number
  /** The least that its cells need, in px. */
  minWidth?: number
  /** What it takes where the others leave room, in px. */
  roomyWidth?: number
  grow?: boolean
  align?: 'right'
  /** The API's name for sorting by this column. */
  sortKey?: string
  /** 2 where none is given. The first column is what a row is about: it always stands. */
  priority?: Priority
  /**
   * What the second line has of it where the column does not stand: 'bare' without its heading, or other words than its cell; null: nothing.
   * By default its heading and its cell.
   */
  compact?: 'bare' | ((row: Row) => ReactNode)
  /** Of the last minute: nothing for a table about another time. */
  isCurrent?: boolean
  cell: (row: Row) => ReactNode
  /** Its raw value in a saved table; a column without one is only drawn. */
  csv?: (row: Row) => CsvCell
  /** With the unit of the raw value, where the heading does not have it. */
  csvHeader?: string
}

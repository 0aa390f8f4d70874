/** What a page's table shows on a screen that is so wide. */

import { arrange } from '../kit/table/arrange'
import type { Column } from '../kit/table/Column'

/** Menu, the page's margins, the card's edges, a scroll bar. */
const AROUND_PX = 196 + 48 + 2 + 15

export const DESK_SCREENS = [1200, 1280, 1366, 1440, 1600, 1920] as const

const idsOf = (columns: readonly { id: string }[]) => columns.map(({ id }) => id)

/** Ids of the columns that stand beside each other, and of those in the second line of rows. */
export function shownOn<Row>(columns: readonly Column<Row>[], screen_px: number) {
  const { standing, folded } = arrange(columns, screen_px - AROUND_PX)
  return { standing: idsOf(standing), folded: idsOf(folded) }
}

/** In px: how much wider than its room a table's columns are; 0: nothing of it has to be scrolled to. */
export function overhang<Row>(columns: readonly Column<Row>[], screen_px: number): number {
  const { standing } = arrange(columns, screen_px - AROUND_PX)
  const needed_px = standing.reduce((sum, { width, minWidth = width }) => sum + minWidth, 0)
  return Math.max(0, needed_px - (screen_px - AROUND_PX))
}

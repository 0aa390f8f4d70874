/** How wide a page's table is on a screen, and how much room it has there. */

import type { Column } from '../components/table/VirtualTable'

/** Menu, the page's margins, the card's edges, a scroll bar. */
const AROUND_PX = 196 + 48 + 2 + 15

export const WIDE_SCREENS = [1440, 1600, 1920] as const

/** In px: what is left of the screen beside the table's columns; below 0 the last ones are out of sight. */
export const spareWidth = <Row>(columns: readonly Column<Row>[], screen: number) =>
  columns
    .filter(({ from = 0, narrowOnly }) => from <= screen && !narrowOnly)
    .reduce((left, { width }) => left - width, screen - AROUND_PX)

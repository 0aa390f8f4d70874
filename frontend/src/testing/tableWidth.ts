/** How wide a page's table is on a screen, and how much room it has there. */

import { fitting } from '../kit/table/fitting'
import type { Column } from '../kit/table/VirtualTable'

/** Menu, the page's margins, the card's edges, a scroll bar. */
const AROUND_PX = 196 + 48 + 2 + 15

export const WIDE_SCREENS = [1440, 1600, 1920] as const
/** Where some columns make way. */
export const NARROWER_SCREENS = [1200, 1280, 1366, 1430] as const

/** In px: what is left of the screen beside all the table's columns; below 0 the last ones are out of sight. */
export const spareWidth = <Row>(columns: readonly Column<Row>[], screen: number) =>
  onScreenOf(columns, screen).reduce((left, { width }) => left - width, roomOn(screen))

/** The same where columns have made way for the others. */
export const fittedSpareWidth = <Row>(columns: readonly Column<Row>[], screen: number) =>
  fitting(onScreenOf(columns, screen), roomOn(screen)).reduce((left, { width }) => left - width, roomOn(screen))

const roomOn = (screen: number) => screen - AROUND_PX
const onScreenOf = <Row>(columns: readonly Column<Row>[], screen: number) =>
  columns.filter(({ from = 0, narrowOnly }) => from <= screen && !narrowOnly)

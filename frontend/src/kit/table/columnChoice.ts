/** Which columns a table shows, and in which order, where its viewer chose. */

import type { CsvCell } from '../../lib/csv'

interface Choosable {
  id: string
  header: string
  from?: number
  narrowOnly?: boolean
}

/** From this many px on a table has columns to choose from; a phone has their compact form. */
const CHOICE_FROM_PX = 700

/** "name,iops" as ids, each once. */
export const parseChoice = (text: string): string[] => [...new Set(text.split(',').filter((id) => id !== ''))]

export const choiceText = (ids: readonly string[]) => ids.join(',')

/** The columns that can be chosen: all but those of phones. */
const choosable = <Column extends Choosable>(columns: readonly Column[]) =>
  columns.filter(({ narrowOnly = false }) => !narrowOnly)

/** What the table shows by itself on a screen that is so wide. */
export const defaultIds = (columns: readonly Choosable[], screen_px: number): string[] =>
  choosable(columns)
    .filter(({ from = 0 }) => from <= screen_px)
    .map(({ id }) => id)

/**
 * The columns of a choice in its order, on every screen from `CHOICE_FROM_PX` on. The first column says whose numbers a row has:
 * it stays, and stays first. Ids that the table does not have are left out.
 */
export function chosenColumns<Column extends Choosable>(columns: readonly Column[], ids: readonly string[]): Column[] {
  const [subject] = choosable(columns)
  const chosen = ids
    .filter((id) => id !== subject?.id)
    .flatMap((id) => choosable(columns).filter((column) => column.id === id))
  const phones = columns.filter(({ narrowOnly = false }) => narrowOnly)
  const wide = [...(subject === undefined ? [] : [subject]), ...chosen]
  return [...phones, ...wide.map((column) => ({ ...column, from: Math.min(column.from ?? 0, CHOICE_FROM_PX) }))]
}

/** Every column that can be hidden: those that are shown in their order, then the others. */
export function offered<Column extends Choosable>(columns: readonly Column[], ids: readonly string[]): Column[] {
  const [, ...shown] = choosable(chosenColumns(columns, ids))
  const [, ...all] = choosable(columns)
  return [...shown, ...all.filter(({ id }) => !shown.some((column) => column.id === id))]
}

/** With a column one place further left (−1) or right (1); as it was where there is no such place. */
export function moved(ids: readonly string[], id: string, by: -1 | 1): string[] {
  const from = ids.indexOf(id)
  const to = from + by
  if (from < 0 || to < 0 || to >= ids.length) return [...ids]
  return ids.toSpliced(from, 1).toSpliced(to, 0, id)
}

interface Saved<Row> {
  header: string
  csv?: ((row: Row) => CsvCell) | undefined
  csvHeader?: string | undefined
}

/** Rows as they are shown, with raw numbers; null where nothing was measured. */
export function tableCsv<Row>(columns: readonly Saved<Row>[], rows: readonly Row[]) {
  const saved = columns.flatMap(({ header, csvHeader = header, csv }) =>
    csv === undefined ? [] : [{ csvHeader, csv }],
  )
  return {
    header: saved.map(({ csvHeader }) => csvHeader),
    rows: rows.map((row) => saved.map(({ csv }) => csv(row))),
  }
}

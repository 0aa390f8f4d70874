/** Which columns a table shows, and in which order, where its viewer chose. */

import type { CsvCell } from '../../lib/csv'

interface Choosable {
  id: string
  header: string
}

/** "name,iops" as ids, each once. */
export const parseChoice = (text: string): string[] => [...new Set(text.split(',').filter((id) => id !== ''))]

export const choiceText = (ids: readonly string[]) => ids.join(',')

/**
 * The columns of a choice in its order. The first column says whose numbers a row has: it stays, and stays first. Ids that the table does
 * not have are left out.
 */
export function chosenColumns<Column extends Choosable>(columns: readonly Column[], ids: readonly string[]): Column[] {
  const [subject, ...others] = columns
  const chosen = ids.flatMap((id) => others.filter((column) => column.id === id))
  return subject === undefined ? [] : [subject, ...chosen]
}

/** Every column that can be hidden: those that are shown in their order, then the others. */
export function offered<Column extends Choosable>(columns: readonly Column[], ids: readonly string[]): Column[] {
  const [, ...shown] = chosenColumns(columns, ids)
  const [, ...all] = columns
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

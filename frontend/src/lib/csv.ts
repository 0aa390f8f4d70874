/** Tables as CSV for spreadsheets (RFC 4180). */

export type CsvCell = string | number | null

// A cell that starts like this is run as a formula by spreadsheets, in full width by those of East Asia, and after blanks too; names come
// from outside.
const FORMULA = /^[\s\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\u2212]|^[\t\r\n]/

function cell(value: CsvCell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows as CSV text; null becomes an empty cell, never 0. */
export function toCsv(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [header, ...rows]
    .map((row) => row.map(cell).join(','))
    .join('\r\n')
    .concat('\r\n')
}

const DIGITS = 6

/** A measured number with the digits that can mean anything; null where none was measured. */
export const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(DIGITS))

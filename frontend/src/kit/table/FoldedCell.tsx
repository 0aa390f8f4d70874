/** The first cell of a row whose table has no room for all of its columns: what the row is about, and below it what the others say. */

import type { ReactNode } from 'react'
import type { Column } from './Column'
import styles from './FoldedCell.module.css'

interface FoldedCellProps<Row> {
  row: Row
  subject: Column<Row>
  folded: readonly Column<Row>[]
}

export function FoldedCell<Row>({ row, subject, folded }: FoldedCellProps<Row>) {
  return (
    <div className="stack tight gap-2">
      <div className={`${styles.subject} row tap narrow`}>
        {typeof subject.compact === 'function' ? subject.compact(row) : subject.cell(row)}
      </div>
      <div className="row wrap if-any small gap-words">
        {folded.map((column) => (
          <Part key={column.id} column={column} row={row} />
        ))}
      </div>
    </div>
  )
}

function Part<Row>({ column: { header, compact, cell }, row }: { column: Column<Row>; row: Row }) {
  const words: ReactNode = typeof compact === 'function' ? compact(row) : cell(row)
  if (words === null || words === '') return null
  return (
    <span className={`${styles.part} taps inline baseline narrow gap-4`}>
      {compact === undefined && <span className="fixed">{header}</span>}
      {words}
    </span>
  )
}

/** A table whose rows are still being read: its own columns and headings, so that nothing moves when they come. */

import * as commonCopy from '../../copy/common'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'

interface RowsSkeletonProps<Row> {
  columns: readonly Column<Row>[]
  rows: number
  rowPx?: number
}

const notYet = () => undefined

export function RowsSkeleton<Row>({ columns, rows, ...heights }: RowsSkeletonProps<Row>) {
  return <VirtualTable<Row> label={commonCopy.loading} columns={columns} count={rows} rowAt={notYet} {...heights} />
}

/** In what order a table stands, where the headings of the columns that it can be sorted by are folded. */

import { NativeSelect } from '@mantine/core'
import * as listsCopy from '../../copy/lists'
import type { Column } from './Column'
import { parseSort, sortText } from './sort'

interface SortChoiceProps<Row> {
  columns: readonly Column<Row>[]
  sort: string
  onSort: (sort: string) => void
}

export function SortChoice<Row>({ columns, sort, onSort }: SortChoiceProps<Row>) {
  const orders = columns.flatMap(({ header, sortKey }) => {
    if (sortKey === undefined) return []
    const value = sortText(sortKey, null)
    return [{ value, label: listsCopy.sortedBy(header, parseSort(value)?.desc ?? false) }]
  })
  const isOffered = orders.some(({ value }) => value === sort)
  return (
    <NativeSelect
      m="8px 10px 0"
      style={{ alignSelf: 'end' }}
      size="xs"
      aria-label={listsCopy.sortOrder}
      data={isOffered ? orders : [...orders, { value: sort, label: listsCopy.customOrder }]}
      value={sort}
      onChange={(event) => onSort(event.currentTarget.value)}
    />
  )
}

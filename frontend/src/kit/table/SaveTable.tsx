/** All rows of a table as CSV, with the columns that are shown. */

import { useState } from 'react'
import * as listsCopy from '../../copy/lists'
import { toCsv } from '../../lib/csv'
import { download, fileStem } from '../chart/download'
import { Tool } from '../chart/tools'
import type { Column } from './Column'
import { tableCsv } from './columnChoice'

interface SaveTableProps<Row> {
  /** Of the file: the objects and the window. */
  title: string
  columns: readonly Column<Row>[]
  /** Reads what is not in sight, too; raises what a request raises. */
  readAll: () => Promise<Row[]>
}

export function SaveTable<Row>({ title, columns, readAll }: SaveTableProps<Row>) {
  const [state, setState] = useState<'ready' | 'reading' | { failed: string }>('ready')
  async function save() {
    if (state === 'reading') return
    setState('reading')
    try {
      const { header, rows } = tableCsv(columns, await readAll())
      download(new Blob([toCsv(header, rows)], { type: 'text/csv;charset=utf-8' }), `${fileStem(title)}.csv`)
      setState('ready')
    } catch (error) {
      if (!(error instanceof Error)) throw error
      setState({ failed: error.message })
    }
  }
  const hasFailed = typeof state === 'object'
  const label = hasFailed
    ? listsCopy.saveFailed(state.failed)
    : state === 'reading'
      ? listsCopy.savingTable
      : listsCopy.saveTable
  return <Tool icon={hasFailed ? 'warning' : 'download'} label={label} onClick={() => void save()} />
}

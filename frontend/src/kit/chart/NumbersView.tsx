/** A chart's numbers as a table: newest first, every column with its source, counter and precision. */

import { useMemo } from 'react'
import type { NumbersTable } from '../../charts/numbers'
import * as commonCopy from '../../copy/common'
import * as gapsCopy from '../../copy/gaps'
import { usePreferences } from '../../lib/preferences'
import { formatClock, formatDay, zoneName } from '../../lib/time'
import { formatColumn } from '../../lib/units'
import type { Column } from '../table/Column'
import { VirtualTable } from '../table/VirtualTable'
import { Name } from '../text/Name'

interface Moment {
  at_ms: number
  index: number
}

export function NumbersView({ table, label }: { table: NumbersTable; label: string }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<Moment>[]>(() => {
    const time: Column<Moment> = {
      id: 'time',
      header: commonCopy.timeIn(zoneName(zone)),
      width: 150,
      cell: ({ at_ms }) => (
        <span className="numeric">
          {formatDay(at_ms, zone)} {formatClock(at_ms, zone, true)}
        </span>
      ),
    }
    const numbers = table.columns.map((column, position): Column<Moment> => {
      return {
        id: String(position),
        header: column.title,
        priority: 1,
        width: Math.max(130, 24 + column.title.length * 7.4),
        align: 'right',
        cell: ({ index }) => {
          const value = column.values[index] ?? null
          return (
            <span className={value === null ? 'faint' : 'numeric'} title={column.origin}>
              {formatColumn(value, column.unit, column.precision)}
            </span>
          )
        },
      }
    })
    const { events } = table
    const happened: Column<Moment> = {
      id: 'events',
      header: gapsCopy.events,
      width: 260,
      priority: 1,
      cell: ({ index }) => (events?.[index] ? <Name focusable>{events[index]}</Name> : ''),
    }
    return [time, ...(events === undefined ? [] : [happened]), ...numbers]
  }, [table, zone])

  const last = table.times_ms.length - 1
  const rowAt = (position: number): Moment => ({ index: last - position, at_ms: table.times_ms[last - position] ?? 0 })
  return <VirtualTable label={label} columns={columns} count={table.times_ms.length} rowAt={rowAt} />
}

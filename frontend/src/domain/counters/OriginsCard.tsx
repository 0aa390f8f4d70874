/** Where every drawn number comes from: source, counter, unit, precision, and how much of the window it covers. */

import { useMemo } from 'react'
import type { Series } from '../../api/types'
import { levelLabel, type SeriesColumn, type SeriesGroup } from '../../charts/series'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import { Card } from '../../kit/layout/Card'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Quantity } from '../../kit/text/Quantity'
import { formatPrecision } from '../../lib/units'
import { lastMeasured } from './parts'

interface Origin {
  group: SeriesGroup
  column: SeriesColumn
}

const COLUMNS: Column<Origin>[] = [
  {
    id: 'number',
    header: countersCopy.metric,
    width: 256,
    cell: ({ column }) => <Name focusable>{column.label}</Name>,
  },
  {
    id: 'side',
    header: countersCopy.boundary,
    width: 116,
    cell: ({ group }) => levelLabel(group.level),
  },
  {
    id: 'newest',
    header: countersCopy.last,
    width: 112,
    align: 'right',
    priority: 1,
    cell: ({ column }) => <Newest column={column} />,
  },
  {
    id: 'source',
    header: commonCopy.source,
    width: 140,
    cell: ({ group }) => <Name focusable>{sourceNames(group)}</Name>,
  },
  {
    id: 'counter',
    header: countersCopy.counter,
    width: 230,
    grow: true,
    compact: ({ column }) => <Name whole>{column.counter}</Name>,
    cell: ({ column }) => <Name focusable>{column.counter}</Name>,
  },
  {
    id: 'precision',
    header: countersCopy.resolution,
    width: 156,
    align: 'right',
    cell: ({ column }) => <span className="numeric">{formatPrecision(column.precision, column.unit)}</span>,
  },
  {
    id: 'covered',
    header: countersCopy.measuredShare,
    width: 90,
    align: 'right',
    cell: ({ column }) => <span className="numeric">{coverage(column.values)}</span>,
  },
]

function sourceNames({ sources }: SeriesGroup): string {
  return sources.map(({ name }) => name).join(', ')
}

const Newest = ({ column: { values, unit, precision } }: Pick<Origin, 'column'>) => (
  <Quantity value={values[lastMeasured(values)] ?? null} unit={unit} precision={precision} />
)

/** "100 %" only when nothing is missing, "0 %" only when everything is. */
export function coverage(values: readonly (number | null)[]): string {
  const measured = values.filter((value) => value !== null).length
  if (values.length === 0 || measured === 0) return '0 %'
  if (measured === values.length) return '100 %'
  return `${Math.min(99, Math.max(1, Math.round((100 * measured) / values.length)))} %`
}

export function OriginsCard({ series, groups }: { series: Series; groups: readonly SeriesGroup[] }) {
  const all = useMemo(() => groups.flatMap((group) => group.columns.map((column) => ({ group, column }))), [groups])
  const measured = all.filter(({ column }) => lastMeasured(column.values) >= 0)
  const silent = all.filter(({ column }) => lastMeasured(column.values) < 0)
  return (
    <Card title={countersCopy.counterOrigin} hint={countersCopy.counterOriginHint(series.times_ms.length)} flush>
      <VirtualTable
        label={countersCopy.counterOrigin}
        columns={COLUMNS}
        count={measured.length}
        rowAt={(index) => measured[index]}
      />
      {silent.length > 0 && (
        <p className="quiet inset">
          {countersCopy.notMeasuredInWindow}{' '}
          {silent.map(({ group, column }) => `${levelLabel(group.level)} ${column.label}`).join(', ')}.
        </p>
      )}
    </Card>
  )
}

/** What is kept of all sources together: for how long, the disk that it takes, and how it grows. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { storageQuery } from '../../api/queries'
import type { Kept } from '../../api/types'
import * as storageCopy from '../../copy/storage'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { formatMoment, type Zone } from '../../lib/time'
import { formatDiskSize, formatUpTo } from '../../lib/units'

export function StorageCard() {
  const query = useQuery(storageQuery())
  const { zone } = usePreferences()
  const columns = useMemo(() => storageColumns(zone), [zone])
  return (
    <Card title={storageCopy.title} hint={query.data && summaryOf(query.data)} flush>
      <DataState query={query} skeleton={<Skeleton height={180} m="md" />}>
        {(rows) => (
          <VirtualTable
            label={storageCopy.title}
            columns={columns}
            count={rows.length}
            rowAt={(index) => rows[index]}
          />
        )}
      </DataState>
    </Card>
  )
}

/** The size of all grains together; that when full only once each of them has one. */
export function summaryOf(rows: readonly Kept[]): string {
  const full = rows.reduce<number | null>(
    (sum, { full_bytes }) => (sum === null || full_bytes === null ? null : sum + full_bytes),
    0,
  )
  const size = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  return storageCopy.summary(formatDiskSize(size), full === null ? null : formatDiskSize(full))
}

/** Before the first day is over there is no growth to speak of. */
const sizeOr = (bytes: number | null) =>
  bytes === null ? (
    <span className="faint">{storageCopy.firstDay}</span>
  ) : (
    <span className="numeric">{formatDiskSize(bytes)}</span>
  )

const daysOf = (days: number) => (days === 1 ? storageCopy.day : storageCopy.days(formatUpTo(days, 1)))

export const storageColumns = (zone: Zone): Column<Kept>[] => [
  {
    id: 'grain',
    header: storageCopy.grain,
    width: 190,
    grow: true,
    cell: ({ grain }) => storageCopy.grains[grain],
  },
  {
    id: 'keep',
    header: storageCopy.keptFor,
    width: 100,
    align: 'right',
    cell: ({ keep_days }) => <span className="numeric">{daysOf(keep_days)}</span>,
  },
  {
    id: 'setting',
    header: storageCopy.setting,
    width: 256,
    cell: ({ setting, is_default }) => (
      <>
        <code>{setting}</code>
        {is_default && <span className="faint"> {storageCopy.byDefault}</span>}
      </>
    ),
  },
  {
    id: 'size',
    header: storageCopy.size,
    width: 100,
    align: 'right',
    cell: ({ bytes }) => sizeOr(bytes),
  },
  {
    id: 'growth',
    header: storageCopy.growth,
    width: 130,
    align: 'right',
    cell: ({ bytes_a_day }) => sizeOr(bytes_a_day),
  },
  {
    id: 'full',
    header: storageCopy.full,
    width: 130,
    align: 'right',
    cell: ({ full_bytes }) => sizeOr(full_bytes),
  },
  {
    id: 'oldest',
    header: storageCopy.oldest,
    width: 150,
    align: 'right',
    cell: ({ since }) =>
      since === null ? (
        <span className="faint">{storageCopy.noneYet}</span>
      ) : (
        <span className="numeric">{formatMoment(Date.parse(since), zone)}</span>
      ),
  },
]

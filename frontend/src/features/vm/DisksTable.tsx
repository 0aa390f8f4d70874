/** Virtual disks of one VM: what is behind each, and what limits it. */

import { useMemo } from 'react'
import type { VmOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { EntityLink } from '../../domain/object/EntityLink'
import { MatchedVolumes } from '../../domain/object/MatchMark'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { formatBytes, formatCount, formatIops } from '../../lib/units'

type Disk = VmOut['vm_disks'][number]

export function DisksTable({ disks }: { disks: readonly Disk[] }) {
  const columns = useMemo<Column<Disk>[]>(
    () => [
      {
        id: 'label',
        header: objectsCopy.disk,
        width: 150,
        minWidth: 120,
        grow: true,
        cell: (disk) => <Name focusable>{disk.label}</Name>,
      },
      {
        id: 'datastore',
        header: commonCopy.datastore,
        width: 180,
        minWidth: 118,
        grow: true,
        cell: (disk) =>
          disk.datastore === null ? (
            <span className="faint">{commonCopy.none}</span>
          ) : (
            <EntityLink to={disk.datastore} />
          ),
      },
      {
        id: 'volume',
        header: objectsCopy.arrayVolume,
        width: 180,
        minWidth: 120,
        grow: true,
        cell: (disk) => <MatchedVolumes match={disk.match} volumes={disk.volume === null ? [] : [disk.volume]} />,
      },
      { id: 'instance', header: objectsCopy.address, width: 110, cell: (disk) => disk.instance },
      { id: 'controller', header: objectsCopy.controller, width: 110, cell: (disk) => disk.controller_type },
      {
        id: 'queue',
        header: objectsCopy.queueLimit,
        width: 110,
        align: 'right',
        cell: ({ queue_limit }) => <QueueLimit ios={queue_limit} />,
      },
      {
        id: 'size',
        header: objectsCopy.size,
        width: 100,
        align: 'right',
        cell: (disk) => <span className="numeric">{formatBytes(disk.capacity_bytes)}</span>,
      },
      {
        id: 'limit',
        header: objectsCopy.iopsLimit,
        width: 120,
        align: 'right',
        cell: (disk) =>
          isRead(disk) ? disk.iops_limit === null ? commonCopy.none : formatIops(disk.iops_limit) : <NotRead />,
      },
      {
        id: 'snapshots',
        header: objectsCopy.snapshots,
        width: 100,
        align: 'right',
        cell: (disk) => (isRead(disk) ? <span className="numeric">{disk.snapshot_depth}</span> : <NotRead />),
      },
      {
        id: 'filters',
        header: objectsCopy.ioFilters,
        width: 280,
        minWidth: 220,
        grow: true,
        cell: (disk) =>
          !isRead(disk) ? (
            <NotRead />
          ) : disk.io_filters.length === 0 ? (
            <span className="faint">{commonCopy.none}</span>
          ) : (
            <Name focusable>{disk.io_filters.join(', ')}</Name>
          ),
      },
    ],
    [],
  )
  return (
    <VirtualTable
      label={objectsCopy.virtualDisks}
      columns={columns}
      count={disks.length}
      rowAt={(index) => disks[index]}
    />
  )
}

/** Limit, snapshots and filters are read together; none of them is in a capture. */
const isRead = (disk: Disk) => disk.snapshot_depth !== null

const NotRead = () => <span className="faint">{commonCopy.unknown}</span>

/** What the guest can have at the disk at once; more waits in the guest, where nobody counts it. */
function QueueLimit({ ios }: { ios: number | null }) {
  if (ios === null) return <NotRead />
  return (
    <span className="numeric" title={objectsCopy.queueLimitHint}>
      {formatCount(ios)}
    </span>
  )
}

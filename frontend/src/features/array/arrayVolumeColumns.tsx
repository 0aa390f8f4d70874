/** What an array says of each of its volumes; the array itself need not be named. */

import type { VolumeRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { qosLimit } from '../../domain/lists/qosLimit'
import { isIdle } from '../../domain/lists/sides'
import { mirroredWords, partColumns, VolumePod, volumeNotes } from '../../domain/lists/volumeColumns'
import { EntityLink, EntityLinks } from '../../domain/object/EntityLink'
import type { Column } from '../../kit/table/Column'
import { Noted } from '../../kit/text/Noted'
import { NO_IO, Quantity } from '../../kit/text/Quantity'

type Latency = 'array_internal_us' | 'array_read_us' | 'array_write_us' | 'array_san_us'

export function arrayVolumeColumns(hasPods: boolean): Column<VolumeRow>[] {
  return [
    {
      id: 'name',
      header: commonCopy.volume,
      width: 170,
      minWidth: 130,
      grow: true,
      sortKey: 'name',
      cell: ({ id, name }) => <EntityLink to={{ kind: 'volume', id, name }} />,
    },
    {
      id: 'datastores',
      header: commonCopy.datastore,
      width: 160,
      cell: ({ datastores }) =>
        datastores.length === 0 ? (
          <span className="faint">{commonCopy.none}</span>
        ) : (
          <EntityLinks to={datastores} most={1} />
        ),
    },
    ...(hasPods
      ? [
          {
            id: 'pod',
            header: objectsCopy.pod,
            width: 172,
            priority: 5 as const,
            cell: (volume: VolumeRow) => <VolumePod volume={volume} />,
          },
        ]
      : []),
    latency('latency', objectsCopy.arrayLatency, 'array_internal_us', {
      width: 116,
      minWidth: 108,
      sortKey: 'latency',
    }),
    latency('read', objectsCopy.reads, 'array_read_us'),
    {
      ...latency('write', objectsCopy.writes, 'array_write_us', { width: 118 }),
      cell: (volume) => <Writes volume={volume} />,
    },
    ...partColumns(),
    latency('san', objectsCopy.san, 'array_san_us', { priority: 3 }),
    {
      id: 'iops',
      header: commonCopy.iops,
      width: 98,
      align: 'right',
      sortKey: 'iops',
      cell: (volume) => (
        <Noted note={volumeNotes(volume).array ?? null}>
          <Quantity value={volume.newest.array_iops} unit="ops/s" bare />
        </Noted>
      ),
    },
    {
      id: 'limit',
      header: objectsCopy.qosLimit,
      width: 150,
      align: 'right',
      priority: 3,
      cell: (volume) => <span className="numeric">{qosLimit(volume)}</span>,
    },
  ]
}

function latency(
  id: string,
  header: string,
  key: Latency,
  options: Partial<Column<VolumeRow>> = {},
): Column<VolumeRow> {
  return {
    id,
    header,
    width: 98,
    align: 'right',
    ...options,
    cell: (volume) => (
      <Quantity value={volume.newest[key]} unit="µs" origin={ORIGINS[key]} absent={whyAbsent(volume, key)} />
    ),
  }
}

/** Those by hosts, and below them what writes took that the other array of the pod took. */
function Writes({ volume }: { volume: VolumeRow }) {
  return (
    <Noted note={mirroredWords(volume)} title={objectsCopy.mirroredHint}>
      <Quantity
        value={volume.newest.array_write_us}
        unit="µs"
        origin={ORIGINS.array_write_us}
        absent={whyAbsent(volume, 'array_write_us')}
      />
    </Noted>
  )
}

const ORIGINS: Record<Latency, string> = {
  array_internal_us: objectsCopy.allSubTimes,
  array_read_us: objectsCopy.readSubTimes,
  array_write_us: objectsCopy.writeSubTimes,
  array_san_us: objectsCopy.sanHint,
}

/** No I/O at all is something else than an unknown time; of one direction alone it is not known which. */
function whyAbsent(volume: VolumeRow, key: Latency): string | undefined {
  const { newest } = volume
  if (isIdle(newest, 'array')) return volumeNotes(volume).elsewhere ?? NO_IO
  const isOneWay = key === 'array_read_us' || key === 'array_write_us'
  return isOneWay && newest.array_internal_us !== null ? '–' : undefined
}

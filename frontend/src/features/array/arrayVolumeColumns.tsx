/** What an array says of each of its volumes; the array itself need not be named. */

import type { VolumeRow } from '../../api/types'
import { EntityLink, EntityLinks } from '../../components/EntityLink'
import { Noted } from '../../components/entity/Noted'
import { isIdle } from '../../components/entity/sides'
import { mirroredWords, partColumns, qosLimit, VolumePod, volumeNotes } from '../../components/entity/volumeColumns'
import { NO_IO, Quantity } from '../../components/Quantity'
import type { Column } from '../../components/table/VirtualTable'

type Latency = 'array_internal_us' | 'array_read_us' | 'array_write_us' | 'array_san_us'

export function arrayVolumeColumns(hasPods: boolean): Column<VolumeRow>[] {
  return [
    {
      id: 'name',
      header: 'Volume',
      width: 170,
      narrow: 130,
      grow: true,
      sortKey: 'name',
      cell: ({ id, name }) => <EntityLink to={{ kind: 'volume', id, name }} />,
    },
    {
      id: 'datastores',
      header: 'Datastore',
      width: 160,
      from: 700,
      cell: ({ datastores }) =>
        datastores.length === 0 ? <span className="faint">none</span> : <EntityLinks to={datastores} most={1} />,
    },
    ...(hasPods
      ? [
          {
            id: 'pod',
            header: 'Pod',
            width: 172,
            from: 1900,
            cell: (volume: VolumeRow) => <VolumePod volume={volume} />,
          },
        ]
      : []),
    latency('latency', 'Array inside', 'array_internal_us', { width: 116, narrow: 108, sortKey: 'latency' }),
    latency('read', 'Reads', 'array_read_us'),
    { ...latency('write', 'Writes', 'array_write_us', { width: 118 }), cell: (volume) => <Writes volume={volume} /> },
    ...partColumns(),
    latency('san', 'SAN', 'array_san_us', { from: 1200 }),
    {
      id: 'iops',
      header: 'IOPS',
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
      header: 'QoS limit',
      width: 150,
      align: 'right',
      from: 1200,
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
    <Noted note={mirroredWords(volume)} title="Writes that the other array of its pod took, mirrored to this one">
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
  array_internal_us: 'service, queue and QoS of all operations',
  array_read_us: 'service, queue and QoS of reads',
  array_write_us: 'service, queue and QoS of writes by hosts',
  array_san_us: 'on the way between array and hosts, as the array times it',
}

/** No I/O at all is something else than an unknown time; of one direction alone it is not known which. */
function whyAbsent(volume: VolumeRow, key: Latency): string | undefined {
  const { newest } = volume
  if (isIdle(newest, 'array')) return volumeNotes(volume).elsewhere ?? NO_IO
  const isOneWay = key === 'array_read_us' || key === 'array_write_us'
  return isOneWay && newest.array_internal_us !== null ? '–' : undefined
}

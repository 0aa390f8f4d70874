/** The columns of volumes, in their own list and on the pages of what lies on them. */

import type { VolumeRow } from '../../api/types'
import { formatBytesPerSecond, formatIops } from '../../lib/units'
import { EntityLink, EntityLinks } from '../EntityLink'
import { Name } from '../Name'
import type { Column } from '../table/VirtualTable'
import { sidesColumns } from './sidesColumns'

export function volumeColumns(max_us: number): Column<VolumeRow>[] {
  return [
    {
      id: 'name',
      header: 'Volume',
      width: 180,
      narrow: 140,
      grow: true,
      sortKey: 'name',
      cell: ({ id, name }) => <EntityLink to={{ kind: 'volume', id, name }} />,
    },
    {
      id: 'array-name',
      header: 'Array',
      width: 128,
      from: 700,
      cell: (volume) => <Name focusable>{volume.array.name}</Name>,
    },
    { id: 'pod', header: 'Pod', width: 172, from: 1900, cell: (volume) => <VolumePod volume={volume} /> },
    {
      id: 'datastores',
      header: 'Datastore',
      width: 160,
      from: 1200,
      cell: (volume) =>
        volume.datastores.length === 0 ? (
          <span className="faint">none</span>
        ) : (
          <EntityLinks to={volume.datastores} most={1} />
        ),
    },
    {
      id: 'limit',
      header: 'QoS limit',
      width: 150,
      align: 'right',
      from: 1900,
      cell: (volume) => <span className="numeric">{qosLimit(volume)}</span>,
    },
    ...sidesColumns<VolumeRow>(max_us, 'array'),
  ]
}

export function VolumePod({ volume }: { volume: VolumeRow }) {
  if (volume.pod === null) return <span className="faint">none</span>
  return <Name focusable>{volume.stretched ? `${volume.pod.name} (stretched)` : volume.pod.name}</Name>
}

/** "15,000 IOPS, 1.00 GB/s", or "none". */
export function qosLimit(volume: Pick<VolumeRow, 'qos_iops_limit' | 'qos_bytes_per_s_limit'>): string {
  const limits = [
    volume.qos_iops_limit === null ? null : formatIops(volume.qos_iops_limit),
    volume.qos_bytes_per_s_limit === null ? null : formatBytesPerSecond(volume.qos_bytes_per_s_limit),
  ].filter((limit) => limit !== null)
  return limits.length === 0 ? 'none' : limits.join(', ')
}

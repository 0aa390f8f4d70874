/** The columns of volumes, in their own list and on the pages of what lies on them. */

import type { VolumeRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import type { Column } from '../../kit/table/Column'
import { Name } from '../../kit/text/Name'
import { NO_IO, Quantity } from '../../kit/text/Quantity'
import { visibleName } from '../../lib/text'
import { formatLatency } from '../../lib/units'
import { EntityLink, EntityLinks } from '../object/EntityLink'
import { qosLimit } from './qosLimit'
import { isIdle } from './sides'
import { type Notes, sidesColumns } from './sidesColumns'

export function volumeColumns(max_us: number): Column<VolumeRow>[] {
  return [
    {
      id: 'name',
      header: commonCopy.volume,
      width: 180,
      grow: true,
      sortKey: 'name',
      csv: ({ name }) => visibleName(name),
      cell: ({ id, name }) => <EntityLink to={{ kind: 'volume', id, name }} />,
    },
    {
      id: 'array-name',
      header: commonCopy.array,
      width: 110,
      csv: ({ array }) => visibleName(array.name),
      cell: (volume) => <Name focusable>{volume.array.name}</Name>,
    },
    {
      id: 'pod',
      header: objectsCopy.pod,
      width: 172,
      priority: 5,
      csv: ({ pod }) => (pod === null ? null : visibleName(pod.name)),
      cell: (volume) => <VolumePod volume={volume} />,
    },
    {
      id: 'datastores',
      header: commonCopy.datastore,
      width: 136,
      priority: 3,
      csv: ({ datastores }) => datastores.map(({ name }) => visibleName(name)).join(', '),
      cell: (volume) =>
        volume.datastores.length === 0 ? (
          <span className="faint">{commonCopy.none}</span>
        ) : (
          <EntityLinks to={volume.datastores} most={1} />
        ),
    },
    {
      id: 'limit',
      header: objectsCopy.qosLimit,
      width: 150,
      align: 'right',
      priority: 5,
      csv: qosLimit,
      cell: (volume) => <span className="numeric">{qosLimit(volume)}</span>,
    },
    ...sidesColumns<VolumeRow>(max_us, 'array', '', volumeNotes),
  ]
}

/**
 * Why both sides count different things: hosts do not tell which array of a stretched pod did an I/O, and what goes through a
 * protocol endpoint is done on the volumes behind it.
 */
export function volumeNotes(volume: Pick<VolumeRow, 'stretched' | 'is_protocol_endpoint' | 'parts'>): Notes {
  if (volume.is_protocol_endpoint) return { array: objectsCopy.onVvols, elsewhere: objectsCopy.onVvols }
  const mirrored = mirroredWords(volume)
  return {
    ...(volume.stretched ? { host: objectsCopy.bothArrays } : {}),
    ...(mirrored === null ? {} : { arrayTime: mirrored }),
  }
}

/** "mirrored 2.09 ms": what writes take that the other array of a stretched pod took; null where there are none. */
export const mirroredWords = ({ parts }: Pick<VolumeRow, 'parts'>): string | null =>
  parts.mirrored_write_us === null ? null : objectsCopy.mirrored(formatLatency(parts.mirrored_write_us))

const PARTS = [
  ['service_us', objectsCopy.service, objectsCopy.serviceHint],
  ['queue_us', objectsCopy.queue, objectsCopy.queueHint],
  ['qos_us', objectsCopy.qos, objectsCopy.qosHint],
] as const

const SETTINGS = new Set(['name', 'array-name', 'pod', 'datastores', 'limit'])

/** Without the counters of the last minute: for a table on a page about another time. Its name and its limit are there on phones, too. */
export const settingsOnly = (columns: readonly Column<VolumeRow>[]): Column<VolumeRow>[] =>
  columns.filter(({ id }) => SETTINGS.has(id))

/** What the array's time consists of, where there is room for it. */
export const partColumns = (width = 90): Column<VolumeRow>[] =>
  PARTS.map(([key, header, meaning]) => ({
    id: key,
    header,
    width,
    align: 'right',
    priority: 4,
    cell: (volume) => (
      <Quantity
        value={volume.parts[key]}
        unit="µs"
        origin={objectsCopy.subTimeOrigin(meaning)}
        absent={isIdle(volume.newest, 'array') ? (volumeNotes(volume).elsewhere ?? NO_IO) : undefined}
      />
    ),
  }))

export function VolumePod({ volume }: { volume: VolumeRow }) {
  if (volume.pod === null) return <span className="faint">{commonCopy.none}</span>
  return <Name focusable>{volume.stretched ? objectsCopy.stretchedPod(volume.pod.name) : volume.pod.name}</Name>
}

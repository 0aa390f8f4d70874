import type { VmRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import * as objectsCopy from '../../copy/objects'
import { ListPage } from '../../domain/lists/ListPage'
import { sidesColumns } from '../../domain/lists/sidesColumns'
import { EntityLink, EntityLinks } from '../../domain/object/EntityLink'
import type { Column } from '../../kit/table/Column'
import { powerWord, visibleName } from '../../lib/text'

export const vmColumns = (max_us: number): Column<VmRow>[] => [
  {
    id: 'name',
    header: commonCopy.vm,
    width: 172,
    grow: true,
    sortKey: 'name',
    csv: ({ name }) => visibleName(name),
    cell: ({ id, name }) => <EntityLink to={{ kind: 'vm', id, name }} />,
  },
  {
    id: 'power',
    header: objectsCopy.power,
    width: 110,
    priority: 4,
    csv: ({ power_state }) => powerWord(power_state),
    cell: ({ power_state }) => powerWord(power_state),
  },
  {
    id: 'host',
    header: commonCopy.host,
    width: 146,
    grow: true,
    csv: ({ host }) => (host === null ? null : visibleName(host.name)),
    cell: ({ host }) => (host === null ? <span className="faint">{commonCopy.none}</span> : <EntityLink to={host} />),
  },
  {
    id: 'datastores',
    header: commonCopy.datastore,
    width: 146,
    grow: true,
    priority: 3,
    csv: ({ datastores }) => datastores.map(({ name }) => visibleName(name)).join(', '),
    cell: ({ datastores }) => <EntityLinks to={datastores} most={1} />,
  },
  {
    id: 'disks',
    header: objectsCopy.disks,
    width: 70,
    align: 'right',
    priority: 5,
    csv: ({ disks }) => disks,
    cell: ({ disks }) => <span className="numeric">{disks}</span>,
  },
  ...sidesColumns<VmRow>(max_us, 'disk', countersCopy.allHosts),
]

/** Every VM with its newest numbers. */
export default function VmsPage() {
  return <ListPage kind="vms" columns={vmColumns} />
}

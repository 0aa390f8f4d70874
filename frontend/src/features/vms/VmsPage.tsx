import type { VmRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import * as listsCopy from '../../copy/lists'
import * as objectsCopy from '../../copy/objects'
import { ListPage } from '../../domain/lists/ListPage'
import { sidesColumns, toldColumn } from '../../domain/lists/sidesColumns'
import { EntityLink, EntityLinks } from '../../domain/object/EntityLink'
import { TOLD_PX } from '../../kit/table/Told'
import type { Column } from '../../kit/table/VirtualTable'
import { powerWord, visibleName } from '../../lib/text'

/** "esx-01.lab.example · app-05": its host, and the datastores of its disks. */
const whereWords = ({ host, datastores }: VmRow): string =>
  [host === null ? listsCopy.noHost : visibleName(host.name), ...datastores.map(({ name }) => visibleName(name))].join(
    ' · ',
  )

export const vmColumns = (max_us: number): Column<VmRow>[] => [
  toldColumn<VmRow>({
    header: commonCopy.vm,
    kind: 'vm',
    leads: 'disk',
    others: countersCopy.allHosts,
    where: whereWords,
  }),
  {
    id: 'name',
    header: commonCopy.vm,
    width: 172,
    grow: true,
    from: 700,
    sortKey: 'name',
    csv: ({ name }) => visibleName(name),
    cell: ({ id, name }) => <EntityLink to={{ kind: 'vm', id, name }} />,
  },
  {
    id: 'power',
    header: objectsCopy.power,
    width: 110,
    from: 1600,
    csv: ({ power_state }) => powerWord(power_state),
    cell: ({ power_state }) => powerWord(power_state),
  },
  {
    id: 'host',
    header: commonCopy.host,
    width: 146,
    grow: true,
    from: 700,
    csv: ({ host }) => (host === null ? null : visibleName(host.name)),
    cell: ({ host }) => (host === null ? <span className="faint">{commonCopy.none}</span> : <EntityLink to={host} />),
  },
  {
    id: 'datastores',
    header: commonCopy.datastore,
    width: 146,
    grow: true,
    from: 1200,
    csv: ({ datastores }) => datastores.map(({ name }) => visibleName(name)).join(', '),
    cell: ({ datastores }) => <EntityLinks to={datastores} most={1} />,
  },
  {
    id: 'disks',
    header: objectsCopy.disks,
    width: 70,
    align: 'right',
    from: 1900,
    csv: ({ disks }) => disks,
    cell: ({ disks }) => <span className="numeric">{disks}</span>,
  },
  ...sidesColumns<VmRow>(max_us, 'disk', countersCopy.allHosts),
]

/** Every VM with its newest numbers. */
export default function VmsPage() {
  return <ListPage kind="vms" columns={vmColumns} narrowRowPx={TOLD_PX} />
}

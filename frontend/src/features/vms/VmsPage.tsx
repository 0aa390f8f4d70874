import type { VmRow } from '../../api/types'
import { EntityLink, EntityLinks } from '../../components/EntityLink'
import { ListPage } from '../../components/entity/ListPage'
import { sidesColumns, toldColumn } from '../../components/entity/sidesColumns'
import { TOLD_PX } from '../../components/table/Told'
import type { Column } from '../../components/table/VirtualTable'
import { powerWord, visibleName } from '../../lib/text'

/** "esx-01.lab.example · app-05": its host, and the datastores of its disks. */
const whereWords = ({ host, datastores }: VmRow): string =>
  [host === null ? 'on no host' : visibleName(host.name), ...datastores.map(({ name }) => visibleName(name))].join(
    ' · ',
  )

export const vmColumns = (max_us: number): Column<VmRow>[] => [
  toldColumn<VmRow>({ header: 'VM', kind: 'vm', leads: 'disk', others: 'all hosts', where: whereWords }),
  {
    id: 'name',
    header: 'VM',
    width: 172,
    grow: true,
    from: 700,
    sortKey: 'name',
    cell: ({ id, name }) => <EntityLink to={{ kind: 'vm', id, name }} />,
  },
  { id: 'power', header: 'Power', width: 110, from: 1600, cell: ({ power_state }) => powerWord(power_state) },
  {
    id: 'host',
    header: 'Host',
    width: 146,
    grow: true,
    from: 700,
    cell: ({ host }) => (host === null ? <span className="faint">none</span> : <EntityLink to={host} />),
  },
  {
    id: 'datastores',
    header: 'Datastore',
    width: 146,
    grow: true,
    from: 1200,
    cell: ({ datastores }) => <EntityLinks to={datastores} most={1} />,
  },
  {
    id: 'disks',
    header: 'Disks',
    width: 70,
    align: 'right',
    from: 1900,
    cell: ({ disks }) => <span className="numeric">{disks}</span>,
  },
  ...sidesColumns<VmRow>(max_us, 'disk', 'all hosts'),
]

/** Every VM with its newest numbers. */
export default function VmsPage() {
  return (
    <ListPage
      kind="vms"
      title="VMs"
      noun="VM"
      columns={vmColumns}
      narrowRowPx={TOLD_PX}
      empty={{ title: 'No VM is known yet', text: 'VMs come from vCenter. Add a vCenter under Sources.' }}
    />
  )
}

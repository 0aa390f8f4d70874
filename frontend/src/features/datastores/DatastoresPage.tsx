import type { DatastoreRow } from '../../api/types'
import { EntityLink } from '../../components/EntityLink'
import { ListPage } from '../../components/entity/ListPage'
import { type Notes, sidesColumns, toldColumn } from '../../components/entity/sidesColumns'
import { MatchedVolumes } from '../../components/MatchMark'
import { Name } from '../../components/Name'
import type { Column } from '../../components/table/VirtualTable'
import { datastoreType } from '../../lib/text'

/** Of a stretched one the array side is what both of its arrays did, mirrored writes included. */
const datastoreNotes = ({ arrays }: DatastoreRow): Notes => (arrays.length > 1 ? { array: 'both arrays' } : {})

export const datastoreColumns = (max_us: number): Column<DatastoreRow>[] => [
  toldColumn<DatastoreRow>({ header: 'Datastore', kind: 'datastore', leads: 'host', notes: datastoreNotes }),
  {
    id: 'name',
    header: 'Datastore',
    width: 180,
    grow: true,
    from: 700,
    sortKey: 'name',
    cell: ({ id, name }) => <EntityLink to={{ kind: 'datastore', id, name }} />,
  },
  { id: 'type', header: 'Type', width: 70, from: 700, cell: ({ type }) => datastoreType(type) },
  {
    id: 'volumes',
    header: 'Array volume',
    width: 160,
    grow: true,
    from: 700,
    cell: ({ match, volumes }) => <MatchedVolumes match={match} volumes={volumes} />,
  },
  {
    id: 'vcenter',
    header: 'vCenter',
    width: 110,
    from: 1900,
    cell: ({ vcenter }) => <Name focusable>{vcenter.name}</Name>,
  },
  {
    id: 'hosts',
    header: 'Hosts',
    width: 66,
    align: 'right',
    from: 1900,
    cell: ({ hosts }) => <span className="numeric">{hosts}</span>,
  },
  {
    id: 'vms',
    header: 'VMs',
    width: 66,
    align: 'right',
    from: 1900,
    cell: ({ vms }) => <span className="numeric">{vms}</span>,
  },
  ...sidesColumns<DatastoreRow>(max_us, 'host', '', ({ arrays }) =>
    arrays.length > 1 ? { array: 'both arrays' } : {},
  ),
]

/** Every datastore with the newest numbers of both sides. */
export default function DatastoresPage() {
  return (
    <ListPage
      kind="datastores"
      title="Datastores"
      noun="datastore"
      columns={datastoreColumns}
      empty={{
        title: 'No datastore is known yet',
        text: 'Datastores come from vCenter. Add a vCenter under Sources; the inventory is read within a minute after that.',
      }}
    />
  )
}

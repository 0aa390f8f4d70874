import type { DatastoreRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as listsCopy from '../../copy/lists'
import * as objectsCopy from '../../copy/objects'
import { ListPage } from '../../domain/lists/ListPage'
import { type Notes, sidesColumns, toldColumn } from '../../domain/lists/sidesColumns'
import { EntityLink } from '../../domain/object/EntityLink'
import { MatchedVolumes } from '../../domain/object/MatchMark'
import type { Column } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { datastoreType, visibleName } from '../../lib/text'

/** Of a stretched one the array side is what both of its arrays did, mirrored writes included. */
const datastoreNotes = ({ arrays }: DatastoreRow): Notes => (arrays.length > 1 ? { array: listsCopy.bothArrays } : {})

export const datastoreColumns = (max_us: number): Column<DatastoreRow>[] => [
  toldColumn<DatastoreRow>({ header: commonCopy.datastore, kind: 'datastore', leads: 'host', notes: datastoreNotes }),
  {
    id: 'name',
    header: commonCopy.datastore,
    width: 180,
    grow: true,
    from: 700,
    sortKey: 'name',
    csv: ({ name }) => visibleName(name),
    cell: ({ id, name }) => <EntityLink to={{ kind: 'datastore', id, name }} />,
  },
  {
    id: 'type',
    header: commonCopy.type,
    width: 70,
    from: 700,
    csv: ({ type }) => datastoreType(type),
    cell: ({ type }) => datastoreType(type),
  },
  {
    id: 'volumes',
    header: objectsCopy.arrayVolume,
    width: 160,
    grow: true,
    from: 700,
    csv: ({ volumes }) => volumes.map(({ name }) => visibleName(name)).join(', '),
    cell: ({ match, volumes }) => <MatchedVolumes match={match} volumes={volumes} />,
  },
  {
    id: 'vcenter',
    header: 'vCenter',
    width: 110,
    from: 1900,
    csv: ({ vcenter }) => visibleName(vcenter.name),
    cell: ({ vcenter }) => <Name focusable>{vcenter.name}</Name>,
  },
  {
    id: 'hosts',
    header: commonCopy.hosts,
    width: 66,
    align: 'right',
    from: 1900,
    csv: ({ hosts }) => hosts,
    cell: ({ hosts }) => <span className="numeric">{hosts}</span>,
  },
  {
    id: 'vms',
    header: commonCopy.vms,
    width: 66,
    align: 'right',
    from: 1900,
    csv: ({ vms }) => vms,
    cell: ({ vms }) => <span className="numeric">{vms}</span>,
  },
  ...sidesColumns<DatastoreRow>(max_us, 'host', '', ({ arrays }) =>
    arrays.length > 1 ? { array: listsCopy.bothArrays } : {},
  ),
]

/** Every datastore with the newest numbers of both sides. */
export default function DatastoresPage() {
  return <ListPage kind="datastores" columns={datastoreColumns} />
}

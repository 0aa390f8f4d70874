import type { DatastoreRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as listsCopy from '../../copy/lists'
import * as objectsCopy from '../../copy/objects'
import { ListPage } from '../../domain/lists/ListPage'
import { sidesColumns } from '../../domain/lists/sidesColumns'
import { EntityLink } from '../../domain/object/EntityLink'
import { MatchedVolumes } from '../../domain/object/MatchMark'
import type { Column } from '../../kit/table/Column'
import { Name } from '../../kit/text/Name'
import { datastoreType, visibleName } from '../../lib/text'

export const datastoreColumns = (max_us: number): Column<DatastoreRow>[] => [
  {
    id: 'name',
    header: commonCopy.datastore,
    width: 180,
    grow: true,
    sortKey: 'name',
    csv: ({ name }) => visibleName(name),
    cell: ({ id, name }) => <EntityLink to={{ kind: 'datastore', id, name }} />,
  },
  {
    id: 'type',
    header: commonCopy.type,
    width: 70,
    csv: ({ type }) => datastoreType(type),
    cell: ({ type }) => datastoreType(type),
  },
  {
    id: 'volumes',
    header: objectsCopy.arrayVolume,
    width: 160,
    grow: true,
    csv: ({ volumes }) => volumes.map(({ name }) => visibleName(name)).join(', '),
    cell: ({ match, volumes }) => <MatchedVolumes match={match} volumes={volumes} />,
  },
  {
    id: 'vcenter',
    header: 'vCenter',
    width: 110,
    priority: 5,
    csv: ({ vcenter }) => visibleName(vcenter.name),
    cell: ({ vcenter }) => <Name focusable>{vcenter.name}</Name>,
  },
  {
    id: 'hosts',
    header: commonCopy.hosts,
    width: 66,
    align: 'right',
    priority: 5,
    csv: ({ hosts }) => hosts,
    cell: ({ hosts }) => <span className="numeric">{hosts}</span>,
  },
  {
    id: 'vms',
    header: commonCopy.vms,
    width: 66,
    align: 'right',
    priority: 5,
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

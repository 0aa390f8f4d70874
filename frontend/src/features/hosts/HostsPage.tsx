import type { HostRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import * as objectsCopy from '../../copy/objects'
import { ListPage } from '../../domain/lists/ListPage'
import { sidesColumns } from '../../domain/lists/sidesColumns'
import { EntityLink } from '../../domain/object/EntityLink'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { Name } from '../../kit/text/Name'
import { visibleName } from '../../lib/text'

export const hostColumns = (max_us: number): Column<HostRow>[] => [
  {
    id: 'name',
    header: commonCopy.host,
    width: 148,
    grow: true,
    sortKey: 'name',
    csv: ({ name }) => visibleName(name),
    cell: ({ id, name }) => <EntityLink to={{ kind: 'host', id, name }} />,
  },
  {
    id: 'state',
    header: commonCopy.state,
    width: 120,
    csv: stateWord,
    cell: (host) => <HostState host={host} />,
  },
  {
    id: 'cluster',
    header: objectsCopy.cluster,
    width: 110,
    grow: true,
    priority: 3,
    csv: ({ cluster }) => (cluster === null ? null : visibleName(cluster.name)),
    cell: ({ cluster }) =>
      cluster === null ? <span className="faint">{commonCopy.none}</span> : <Name focusable>{cluster.name}</Name>,
  },
  {
    id: 'version',
    header: objectsCopy.esxi,
    width: 90,
    priority: 5,
    csv: ({ version }) => version,
    cell: ({ version }) => version ?? <span className="faint">{objectsCopy.notCollected}</span>,
  },
  {
    id: 'devices',
    header: objectsCopy.devices,
    width: 82,
    align: 'right',
    priority: 5,
    csv: ({ devices }) => devices,
    cell: ({ devices }) => <span className="numeric">{devices}</span>,
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
  ...sidesColumns<HostRow>(max_us, 'host', countersCopy.allHosts),
]

function stateWord({ in_maintenance, connection_state }: HostRow): string {
  return in_maintenance ? objectsCopy.maintenance : connection_state
}

function HostState({ host }: { host: HostRow }) {
  const tone = host.in_maintenance ? 'calm' : host.connection_state === 'connected' ? 'good' : 'bad'
  return <StateMark tone={tone} word={stateWord(host)} />
}

/** Every ESXi host with its newest numbers. */
export default function HostsPage() {
  return <ListPage kind="hosts" columns={hostColumns} />
}

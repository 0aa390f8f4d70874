import type { HostRow } from '../../api/types'
import { EntityLink } from '../../components/EntityLink'
import { ListPage } from '../../components/entity/ListPage'
import { sidesColumns, toldColumn } from '../../components/entity/sidesColumns'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import type { Column } from '../../components/table/VirtualTable'

export const hostColumns = (max_us: number): Column<HostRow>[] => [
  toldColumn<HostRow>({ header: 'Host', kind: 'host', leads: 'host', others: 'all hosts' }),
  {
    id: 'name',
    header: 'Host',
    width: 148,
    grow: true,
    from: 700,
    sortKey: 'name',
    cell: ({ id, name }) => <EntityLink to={{ kind: 'host', id, name }} />,
  },
  { id: 'state', header: 'State', width: 120, from: 700, cell: (host) => <HostState host={host} /> },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 110,
    grow: true,
    from: 1200,
    cell: ({ cluster }) =>
      cluster === null ? <span className="faint">none</span> : <Name focusable>{cluster.name}</Name>,
  },
  {
    id: 'version',
    header: 'ESXi',
    width: 90,
    from: 1900,
    cell: ({ version }) => version ?? <span className="faint">not read</span>,
  },
  {
    id: 'devices',
    header: 'Devices',
    width: 82,
    align: 'right',
    from: 1900,
    cell: ({ devices }) => <span className="numeric">{devices}</span>,
  },
  {
    id: 'vms',
    header: 'VMs',
    width: 66,
    align: 'right',
    from: 1900,
    cell: ({ vms }) => <span className="numeric">{vms}</span>,
  },
  ...sidesColumns<HostRow>(max_us, 'host', 'all hosts'),
]

function HostState({ host }: { host: HostRow }) {
  if (host.in_maintenance) return <StateMark tone="calm" word="maintenance" />
  return <StateMark tone={host.connection_state === 'connected' ? 'good' : 'bad'} word={host.connection_state} />
}

/** Every ESXi host with its newest numbers. */
export default function HostsPage() {
  return (
    <ListPage
      kind="hosts"
      title="Hosts"
      noun="host"
      columns={hostColumns}
      empty={{ title: 'No host is known yet', text: 'Hosts come from vCenter. Add a vCenter under Sources.' }}
    />
  )
}

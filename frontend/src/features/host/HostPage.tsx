import { useMemo } from 'react'
import type { HostOut } from '../../api/types'
import { Card } from '../../components/Card'
import { DevicesTable, PathsMark } from '../../components/entity/DevicesTable'
import { type Fact, ObjectPage } from '../../components/entity/ObjectPage'
import { SeriesSection } from '../../components/entity/SeriesSection'
import { Name } from '../../components/Name'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { plural } from '../../lib/text'
import { formatCount } from '../../lib/units'

type Hba = HostOut['hbas'][number]

function facts(host: HostOut): Fact[] {
  return [
    { term: 'State', value: host.in_maintenance ? 'in maintenance' : host.connection_state },
    ...(host.cluster === null ? [] : [{ term: 'Cluster', value: <Name focusable>{host.cluster.name}</Name> }]),
    { term: 'vCenter', value: <Name focusable>{host.vcenter.name}</Name> },
    ...(host.version === null
      ? []
      : [{ term: 'ESXi', value: host.build === null ? host.version : `${host.version} build ${host.build}` }]),
    { term: 'Runs', value: plural(host.vms, 'VM') },
    { term: 'Paths', value: <PathsMark devices={host.host_devices} /> },
  ]
}

/** The volumes behind its devices. */
const below = (host: HostOut) => host.host_devices.flatMap(({ volume }) => volume ?? [])

/** One host: its devices' latency beside what the arrays say about the volumes behind them. */
export default function HostPage() {
  return (
    <ObjectPage kind="hosts" listTitle="Hosts" facts={facts} below={below}>
      {(host, id) => (
        <>
          {host.hbas.length > 0 && (
            <Card title="Adapters" flush>
              <AdaptersTable hbas={host.hbas} />
            </Card>
          )}
          {host.host_devices.length > 0 && (
            <Card title="Devices" hint="in the newest minute" flush>
              <DevicesTable devices={host.host_devices} withHost={false} />
            </Card>
          )}
          <SeriesSection kind="hosts" id={id} name={host.name} newest={host.newest} />
        </>
      )}
    </ObjectPage>
  )
}

function AdaptersTable({ hbas }: { hbas: readonly Hba[] }) {
  const columns = useMemo<Column<Hba>[]>(
    () => [
      { id: 'device', header: 'Adapter', width: 110, cell: (hba) => hba.device },
      {
        id: 'driver',
        header: 'Driver',
        width: 140,
        cell: (hba) => hba.driver ?? <span className="faint">not read</span>,
      },
      { id: 'protocol', header: 'Protocol', width: 120, cell: (hba) => hba.protocol },
      {
        id: 'model',
        header: 'Model',
        width: 220,
        grow: true,
        cell: (hba) => <Name focusable>{hba.model ?? 'not read'}</Name>,
      },
      {
        id: 'address',
        header: 'Address',
        width: 260,
        cell: (hba) => <Name focusable>{hba.address ?? 'not read'}</Name>,
      },
      {
        id: 'depth',
        header: 'LUN queue depth',
        width: 150,
        align: 'right',
        cell: (hba) =>
          hba.queue_depth === null ? (
            <span className="faint">not read</span>
          ) : (
            <span className="numeric">{formatCount(hba.queue_depth)}</span>
          ),
      },
    ],
    [],
  )
  return <VirtualTable label="Adapters" columns={columns} count={hbas.length} rowAt={(index) => hbas[index]} />
}

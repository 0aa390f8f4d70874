import { useMemo } from 'react'
import type { HostOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { DevicesTable, PathsMark } from '../../domain/lists/DevicesTable'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import { lastMinute, type Section } from '../../domain/sections/section'
import { Card } from '../../kit/layout/Card'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { plural } from '../../lib/text'
import { formatCount } from '../../lib/units'

type Hba = HostOut['hbas'][number]

function facts(host: HostOut): Fact[] {
  return [
    { term: commonCopy.state, value: host.in_maintenance ? objectsCopy.inMaintenance : host.connection_state },
    ...(host.cluster === null
      ? []
      : [{ term: objectsCopy.cluster, value: <Name focusable>{host.cluster.name}</Name> }]),
    { term: 'vCenter', value: <Name focusable>{host.vcenter.name}</Name> },
    ...(host.version === null
      ? []
      : [
          {
            term: objectsCopy.esxi,
            value: host.build === null ? host.version : objectsCopy.versionBuild(host.version, host.build),
          },
        ]),
    { term: commonCopy.vms, value: plural(host.vms, commonCopy.vm) },
    { term: objectsCopy.paths, value: <PathsMark devices={host.host_devices} /> },
  ]
}

/** The volumes behind its devices. */
const below = (host: HostOut) => host.host_devices.flatMap(({ volume }) => volume ?? [])

const SECTIONS: readonly Section<'hosts'>[] = [
  {
    id: 'adapters',
    title: objectsCopy.adapters,
    tab: 'path',
    applies: ({ one }) => one.hbas.length > 0,
    render: ({ one }) => (
      <Card title={objectsCopy.adapters} flush>
        <AdaptersTable hbas={one.hbas} />
      </Card>
    ),
  },
  {
    id: 'devices',
    title: objectsCopy.devices,
    tab: 'path',
    applies: ({ one }) => one.host_devices.length > 0,
    render: ({ one, isLive }) => (
      <Card title={objectsCopy.devices} hint={lastMinute(isLive)} flush>
        <DevicesTable devices={one.host_devices} withHost={false} isLive={isLive} />
      </Card>
    ),
  },
]

/** One host: whose the latency of its devices is, its adapters and queues. */
export default function HostPage() {
  return <ObjectPage kind="hosts" facts={facts} below={below} sections={SECTIONS} />
}

function AdaptersTable({ hbas }: { hbas: readonly Hba[] }) {
  const columns = useMemo<Column<Hba>[]>(
    () => [
      { id: 'device', header: objectsCopy.adapter, width: 110, cell: (hba) => hba.device },
      {
        id: 'driver',
        header: objectsCopy.driver,
        width: 140,
        cell: (hba) => hba.driver ?? <span className="faint">{objectsCopy.notCollected}</span>,
      },
      { id: 'protocol', header: objectsCopy.protocol, width: 120, cell: (hba) => hba.protocol },
      {
        id: 'model',
        header: objectsCopy.model,
        width: 220,
        grow: true,
        cell: (hba) => <Name focusable>{hba.model ?? objectsCopy.notCollected}</Name>,
      },
      {
        id: 'address',
        header: objectsCopy.address,
        width: 260,
        cell: (hba) => <Name focusable>{hba.address ?? objectsCopy.notCollected}</Name>,
      },
      {
        id: 'depth',
        header: objectsCopy.lunQueueDepth,
        width: 150,
        align: 'right',
        cell: (hba) =>
          hba.queue_depth === null ? (
            <span className="faint">{objectsCopy.notCollected}</span>
          ) : (
            <span className="numeric">{formatCount(hba.queue_depth)}</span>
          ),
      },
    ],
    [],
  )
  return (
    <VirtualTable label={objectsCopy.adapters} columns={columns} count={hbas.length} rowAt={(index) => hbas[index]} />
  )
}

import { lazy, useMemo } from 'react'
import type { VmOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as databaseFilesCopy from '../../copy/databaseFiles'
import * as labelsCopy from '../../copy/labels'
import * as objectsCopy from '../../copy/objects'
import { EntityLink } from '../../domain/object/EntityLink'
import { labelFacts } from '../../domain/object/labelFacts'
import { MatchedVolumes } from '../../domain/object/MatchMark'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import type { Section } from '../../domain/sections/section'
import { Card } from '../../kit/layout/Card'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { plural, powerWord } from '../../lib/text'
import { formatBytes, formatCount, formatIops } from '../../lib/units'

type Disk = VmOut['vm_disks'][number]

function facts(vm: VmOut): Fact[] {
  return [
    { term: objectsCopy.power, value: powerWord(vm.power_state) },
    { term: commonCopy.host, value: vm.host === null ? 'none' : <EntityLink to={vm.host} /> },
    ...(vm.cluster === null ? [] : [{ term: objectsCopy.cluster, value: <Name focusable>{vm.cluster.name}</Name> }]),
    { term: 'vCenter', value: <Name focusable>{vm.vcenter.name}</Name> },
    { term: objectsCopy.disks, value: plural(vm.vm_disks.length, objectsCopy.virtualDisk) },
    ...guestFacts(vm.guest),
    ...labelFacts(vm.owner, vm.labels),
  ]
}

/** Of addresses the first ones: a guest with containers has hundreds. */
const MOST_ADDRESSES = 2

function guestFacts({ dns_name, ip_addresses, tools_state, folder }: VmOut['guest']): Fact[] {
  const addresses = ip_addresses.slice(0, MOST_ADDRESSES).join(', ')
  const more = ip_addresses.length - MOST_ADDRESSES
  return [
    ...(dns_name === null ? [] : [{ term: labelsCopy.dnsName, value: <Name focusable>{dns_name}</Name> }]),
    ...(addresses === ''
      ? []
      : [{ term: labelsCopy.ipAddresses, value: more > 0 ? labelsCopy.moreValues(addresses, more) : addresses }]),
    ...(tools_state === null || tools_state === 'running'
      ? []
      : [{ term: labelsCopy.tools, value: labelsCopy.TOOLS_STATES[tools_state] }]),
    ...(folder === null ? [] : [{ term: labelsCopy.folder, value: <Name focusable>{folder}</Name> }]),
  ]
}

/** Its datastores and volumes. */
const below = (vm: VmOut) =>
  vm.vm_disks.flatMap(({ datastore, volume }) => [datastore, volume].filter((one) => one !== null))

const TestRuns = lazy(async () => ({ default: (await import('./testRuns/TestRunsCard')).TestRunsCard }))

const DatabaseFiles = lazy(async () => ({
  default: (await import('./databaseFiles/DatabaseFilesCard')).DatabaseFilesCard,
}))

const SECTIONS: readonly Section<'vms'>[] = [
  {
    id: 'disks',
    title: objectsCopy.virtualDisks,
    tab: 'path',
    applies: ({ one }) => one.vm_disks.length > 0,
    render: ({ one }) => (
      <Card title={objectsCopy.virtualDisks} flush>
        <DisksTable disks={one.vm_disks} />
      </Card>
    ),
  },
  {
    id: 'test-runs',
    title: objectsCopy.testRuns,
    tab: 'counters',
    render: ({ id }) => <TestRuns id={id} />,
  },
  {
    id: 'database-files',
    title: databaseFilesCopy.title,
    tab: 'counters',
    render: ({ id }) => <DatabaseFiles id={id} />,
  },
]

/** One VM: whose its latency is, its virtual disks and what lies under them. */
export default function VmPage() {
  return <ObjectPage kind="vms" facts={facts} below={below} sections={SECTIONS} />
}

function DisksTable({ disks }: { disks: readonly Disk[] }) {
  const columns = useMemo<Column<Disk>[]>(
    () => [
      {
        id: 'label',
        header: objectsCopy.disk,
        width: 150,
        minWidth: 120,
        grow: true,
        cell: (disk) => <Name focusable>{disk.label}</Name>,
      },
      {
        id: 'datastore',
        header: commonCopy.datastore,
        width: 180,
        minWidth: 118,
        grow: true,
        cell: (disk) =>
          disk.datastore === null ? (
            <span className="faint">{commonCopy.none}</span>
          ) : (
            <EntityLink to={disk.datastore} />
          ),
      },
      {
        id: 'volume',
        header: objectsCopy.arrayVolume,
        width: 180,
        minWidth: 120,
        grow: true,
        cell: (disk) => <MatchedVolumes match={disk.match} volumes={disk.volume === null ? [] : [disk.volume]} />,
      },
      { id: 'instance', header: objectsCopy.address, width: 110, cell: (disk) => disk.instance },
      { id: 'controller', header: objectsCopy.controller, width: 110, cell: (disk) => disk.controller_type },
      {
        id: 'queue',
        header: objectsCopy.queueLimit,
        width: 110,
        align: 'right',
        cell: ({ queue_limit }) => <QueueLimit ios={queue_limit} />,
      },
      {
        id: 'size',
        header: objectsCopy.size,
        width: 100,
        align: 'right',
        cell: (disk) => <span className="numeric">{formatBytes(disk.capacity_bytes)}</span>,
      },
      {
        id: 'limit',
        header: objectsCopy.iopsLimit,
        width: 120,
        align: 'right',
        cell: (disk) => (disk.iops_limit === null ? 'none' : formatIops(disk.iops_limit)),
      },
      {
        id: 'snapshots',
        header: objectsCopy.snapshots,
        width: 100,
        align: 'right',
        cell: (disk) => <span className="numeric">{disk.snapshot_depth}</span>,
      },
    ],
    [],
  )
  return (
    <VirtualTable
      label={objectsCopy.virtualDisks}
      columns={columns}
      count={disks.length}
      rowAt={(index) => disks[index]}
    />
  )
}

/** What the guest can have at the disk at once; more waits in the guest, where nobody counts it. */
function QueueLimit({ ios }: { ios: number | null }) {
  if (ios === null) return <span className="faint">{commonCopy.unknown}</span>
  return (
    <span className="numeric" title={objectsCopy.queueLimitHint}>
      {formatCount(ios)}
    </span>
  )
}

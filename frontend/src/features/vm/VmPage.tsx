import { useMemo } from 'react'
import type { VmOut } from '../../api/types'
import { Card } from '../../components/Card'
import { EntityLink } from '../../components/EntityLink'
import { type Fact, ObjectPage } from '../../components/entity/ObjectPage'
import { SeriesSection } from '../../components/entity/SeriesSection'
import { MatchedVolumes } from '../../components/MatchMark'
import { Name } from '../../components/Name'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { plural, powerWord } from '../../lib/text'
import { formatBytes, formatCount, formatIops } from '../../lib/units'

type Disk = VmOut['vm_disks'][number]

function facts(vm: VmOut): Fact[] {
  return [
    { term: 'Power', value: powerWord(vm.power_state) },
    { term: 'Host', value: vm.host === null ? 'none' : <EntityLink to={vm.host} /> },
    ...(vm.cluster === null ? [] : [{ term: 'Cluster', value: <Name focusable>{vm.cluster.name}</Name> }]),
    { term: 'vCenter', value: <Name focusable>{vm.vcenter.name}</Name> },
    { term: 'Disks', value: plural(vm.vm_disks.length, 'virtual disk') },
    ...Object.entries(vm.tags).map(([tag, value]) => ({ term: tag, value: <Name focusable>{value}</Name> })),
  ]
}

/** Its datastores and volumes. */
const below = (vm: VmOut) =>
  vm.vm_disks.flatMap(({ datastore, volume }) => [datastore, volume].filter((one) => one !== null))

/** One VM: its virtual disks' latency beside what the array says about the volumes under them. */
export default function VmPage() {
  return (
    <ObjectPage kind="vms" listTitle="VMs" facts={facts} below={below}>
      {(vm, id) => (
        <>
          {vm.vm_disks.length > 0 && (
            <Card title="Virtual disks" flush>
              <DisksTable disks={vm.vm_disks} />
            </Card>
          )}
          <SeriesSection kind="vms" id={id} name={vm.name} newest={vm.newest} />
        </>
      )}
    </ObjectPage>
  )
}

function DisksTable({ disks }: { disks: readonly Disk[] }) {
  const columns = useMemo<Column<Disk>[]>(
    () => [
      {
        id: 'label',
        header: 'Disk',
        width: 150,
        narrow: 120,
        grow: true,
        cell: (disk) => <Name focusable>{disk.label}</Name>,
      },
      {
        id: 'datastore',
        header: 'Datastore',
        width: 180,
        narrow: 118,
        grow: true,
        cell: (disk) =>
          disk.datastore === null ? <span className="faint">none</span> : <EntityLink to={disk.datastore} />,
      },
      {
        id: 'volume',
        header: 'Array volume',
        width: 180,
        narrow: 120,
        grow: true,
        cell: (disk) => <MatchedVolumes match={disk.match} volumes={disk.volume === null ? [] : [disk.volume]} />,
      },
      { id: 'instance', header: 'Address', width: 110, cell: (disk) => disk.instance },
      { id: 'controller', header: 'Controller', width: 110, cell: (disk) => disk.controller_type },
      {
        id: 'queue',
        header: 'Queue limit',
        width: 110,
        align: 'right',
        cell: ({ queue_limit }) => <QueueLimit ios={queue_limit} />,
      },
      {
        id: 'size',
        header: 'Size',
        width: 100,
        align: 'right',
        cell: (disk) => <span className="numeric">{formatBytes(disk.capacity_bytes)}</span>,
      },
      {
        id: 'limit',
        header: 'IOPS limit',
        width: 120,
        align: 'right',
        cell: (disk) => (disk.iops_limit === null ? 'none' : formatIops(disk.iops_limit)),
      },
      {
        id: 'snapshots',
        header: 'Snapshots',
        width: 100,
        align: 'right',
        cell: (disk) => <span className="numeric">{disk.snapshot_depth}</span>,
      },
    ],
    [],
  )
  return <VirtualTable label="Virtual disks" columns={columns} count={disks.length} rowAt={(index) => disks[index]} />
}

/** What the guest can have at the disk at once; more waits in the guest, where nobody counts it. */
function QueueLimit({ ios }: { ios: number | null }) {
  if (ios === null) return <span className="faint">not known</span>
  return (
    <span className="numeric" title="I/Os at once, unless the guest was set otherwise; more wait in the guest">
      {formatCount(ios)}
    </span>
  )
}

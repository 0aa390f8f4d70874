import { lazy } from 'react'
import type { VmOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as databaseFilesCopy from '../../copy/databaseFiles'
import * as labelsCopy from '../../copy/labels'
import * as objectsCopy from '../../copy/objects'
import { EntityLink } from '../../domain/object/EntityLink'
import { labelFacts } from '../../domain/object/labelFacts'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import type { Section } from '../../domain/sections/section'
import { Card } from '../../kit/layout/Card'
import { Name } from '../../kit/text/Name'
import { plural, powerWord } from '../../lib/text'

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

const DisksTable = lazy(async () => ({ default: (await import('./DisksTable')).DisksTable }))

const TestRuns = lazy(async () => ({ default: (await import('../../domain/testRuns/TestRunsCard')).TestRunsCard }))

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
    isLast: true,
    render: ({ id, one }) => <TestRuns to={{ kind: 'vms', id }} disks={one.vm_disks} />,
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

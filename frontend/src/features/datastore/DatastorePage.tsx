import { lazy } from 'react'
import type { DatastoreOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as objectsCopy from '../../copy/objects'
import { matchedBy } from '../../domain/object/MatchMark'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import { RefList } from '../../domain/object/RefList'
import { lastMinute, type Section } from '../../domain/sections/section'
import { DevicesTable, VolumesTable } from '../../domain/sections/tables'
import { Card } from '../../kit/layout/Card'
import { Name } from '../../kit/text/Name'
import { datastoreType, plural } from '../../lib/text'
import { formatBytes } from '../../lib/units'

function facts(datastore: DatastoreOut): Fact[] {
  const hosts = new Set(datastore.devices.map((device) => device.host.id)).size
  return [
    { term: commonCopy.type, value: datastoreType(datastore.type) },
    { term: 'vCenter', value: <Name focusable>{datastore.vcenter.name}</Name> },
    {
      term: objectsCopy.backing,
      value: datastore.match.matched
        ? `${plural(datastore.volumes.length, diagnosisCopy.volume)}, ${matchedBy(datastore.match)}`
        : objectsCopy.noVolume,
    },
    {
      term: objectsCopy.usedBy,
      value: `${plural(hosts, diagnosisCopy.host)}, ${plural(datastore.vms.length, commonCopy.vm)}`,
    },
    ...(datastore.capacity_bytes === null
      ? []
      : [{ term: objectsCopy.capacity, value: formatBytes(datastore.capacity_bytes) }]),
    ...(datastore.nfs_export === null
      ? []
      : [{ term: objectsCopy.nfsExport, value: <Name focusable>{datastore.nfs_export}</Name> }]),
    ...(datastore.extents.length < 2 ? [] : [{ term: objectsCopy.extents, value: String(datastore.extents.length) }]),
  ]
}

const TestRuns = lazy(async () => ({ default: (await import('../../domain/testRuns/TestRunsCard')).TestRunsCard }))

const SECTIONS: readonly Section<'datastores'>[] = [
  {
    id: 'volumes',
    title: objectsCopy.arrayVolumes,
    tab: 'path',
    applies: ({ one }) => one.volumes.length > 0,
    render: ({ one, isLive }) => (
      <Card title={objectsCopy.arrayVolumes} hint={lastMinute(isLive)} flush>
        <VolumesTable volumes={one.volumes} label={objectsCopy.arrayVolumes} isLive={isLive} />
      </Card>
    ),
  },
  {
    id: 'devices',
    title: objectsCopy.hostsAndDevices,
    tab: 'path',
    applies: ({ one }) => one.devices.length > 0,
    render: ({ one, isLive }) => (
      <Card title={objectsCopy.hostsAndDevices} hint={lastMinute(isLive)} flush>
        <DevicesTable devices={one.devices} isLive={isLive} />
      </Card>
    ),
  },
  {
    id: 'vms',
    title: commonCopy.vms,
    tab: 'path',
    applies: ({ one }) => one.vms.length > 0,
    render: ({ one }) => (
      <Card title={commonCopy.vms} hint={plural(one.vms.length, commonCopy.vm)}>
        <RefList refs={one.vms} label={objectsCopy.vmsOnDatastore} />
      </Card>
    ),
  },
  {
    id: 'test-runs',
    title: objectsCopy.testRuns,
    tab: 'counters',
    isLast: true,
    render: ({ id }) => <TestRuns to={{ kind: 'datastores', id }} />,
  },
]

const match = ({ match }: DatastoreOut) => match
const below = ({ volumes }: DatastoreOut) => volumes.map(({ id }) => ({ kind: 'volume' as const, id }))

/** One datastore: whose latency it is, the way of its I/Os, and the counters of both sides. */
export default function DatastorePage() {
  return <ObjectPage kind="datastores" facts={facts} match={match} below={below} sections={SECTIONS} />
}

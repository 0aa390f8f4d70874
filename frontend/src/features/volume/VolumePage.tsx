import { lazy } from 'react'
import type { VolumeOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { qosLimit } from '../../domain/lists/qosLimit'
import { EntityLinks } from '../../domain/object/EntityLink'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import { lastMinute, type Section } from '../../domain/sections/section'
import { DevicesTable, VolumesTable } from '../../domain/sections/tables'
import { Card } from '../../kit/layout/Card'
import { Name } from '../../kit/text/Name'
import { formatBytes } from '../../lib/units'

function facts(volume: VolumeOut): Fact[] {
  return [
    { term: commonCopy.array, value: <Name focusable>{volume.array.name}</Name> },
    ...(volume.pod === null
      ? []
      : [
          {
            term: objectsCopy.pod,
            value: volume.stretched ? objectsCopy.stretchedSuffix(volume.pod.name) : volume.pod.name,
          },
        ]),
    { term: objectsCopy.serial, value: <Name focusable>{volume.serial}</Name> },
    { term: objectsCopy.size, value: formatBytes(volume.size_bytes) },
    { term: objectsCopy.qosLimit, value: qosLimit(volume) },
    {
      term: commonCopy.datastore,
      value: volume.datastores.length === 0 ? 'none' : <EntityLinks to={volume.datastores} />,
    },
    {
      term: objectsCopy.connected,
      value:
        volume.connected_hosts.length === 0 ? (
          objectsCopy.notConnected
        ) : (
          <Name focusable>{volume.connected_hosts.join(', ')}</Name>
        ),
    },
  ]
}

const TestRuns = lazy(async () => ({ default: (await import('../../domain/testRuns/TestRunsCard')).TestRunsCard }))

const SECTIONS: readonly Section<'volumes'>[] = [
  {
    id: 'peers',
    title: objectsCopy.peerVolume,
    tab: 'path',
    applies: ({ one }) => one.peers.length > 0,
    render: ({ one, isLive }) => (
      <Card title={objectsCopy.peerVolume} hint={lastMinute(isLive)} flush>
        <VolumesTable volumes={one.peers} label={objectsCopy.peerVolume} isLive={isLive} />
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
    id: 'test-runs',
    title: objectsCopy.testRuns,
    tab: 'counters',
    isLast: true,
    render: ({ id }) => <TestRuns to={{ kind: 'volumes', id }} />,
  },
]

const below = ({ datastores }: VolumeOut) => datastores

/** One array volume: what of its latency is the array's, and the hosts that use it. */
export default function VolumePage() {
  return <ObjectPage kind="volumes" facts={facts} below={below} sections={SECTIONS} />
}

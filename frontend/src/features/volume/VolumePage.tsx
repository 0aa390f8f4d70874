import type { VolumeOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { SeriesSection } from '../../domain/counters/SeriesSection'
import { DevicesTable } from '../../domain/lists/DevicesTable'
import { VolumesTable } from '../../domain/lists/VolumesTable'
import { qosLimit } from '../../domain/lists/volumeColumns'
import { EntityLinks } from '../../domain/object/EntityLink'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
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

/** One array volume: its sub-times beside what the hosts measured on the device. */
export default function VolumePage() {
  return (
    <ObjectPage kind="volumes" facts={facts} below={(volume) => volume.datastores}>
      {(volume, id) => (
        <>
          {volume.peers.length > 0 && (
            <Card title={objectsCopy.peerVolume} hint={objectsCopy.lastMinute} flush>
              <VolumesTable volumes={volume.peers} label={objectsCopy.peerVolume} />
            </Card>
          )}
          {volume.devices.length > 0 && (
            <Card title={objectsCopy.hostsAndDevices} hint={objectsCopy.lastMinute} flush>
              <DevicesTable devices={volume.devices} />
            </Card>
          )}
          <SeriesSection kind="volumes" id={id} name={volume.name} newest={volume.newest} />
        </>
      )}
    </ObjectPage>
  )
}

import type { VolumeOut } from '../../api/types'
import { Card } from '../../components/Card'
import { EntityLinks } from '../../components/EntityLink'
import { DevicesTable } from '../../components/entity/DevicesTable'
import { type Fact, ObjectPage } from '../../components/entity/ObjectPage'
import { SeriesSection } from '../../components/entity/SeriesSection'
import { VolumesTable } from '../../components/entity/VolumesTable'
import { qosLimit } from '../../components/entity/volumeColumns'
import { Name } from '../../components/Name'
import { formatBytes } from '../../lib/units'

function facts(volume: VolumeOut): Fact[] {
  return [
    { term: 'Array', value: <Name focusable>{volume.array.name}</Name> },
    ...(volume.pod === null
      ? []
      : [{ term: 'Pod', value: volume.stretched ? `${volume.pod.name}, stretched` : volume.pod.name }]),
    { term: 'Serial', value: <Name focusable>{volume.serial}</Name> },
    { term: 'Size', value: formatBytes(volume.size_bytes) },
    { term: 'QoS limit', value: qosLimit(volume) },
    { term: 'Datastore', value: volume.datastores.length === 0 ? 'none' : <EntityLinks to={volume.datastores} /> },
    {
      term: 'Connected',
      value:
        volume.connected_hosts.length === 0 ? 'to no host' : <Name focusable>{volume.connected_hosts.join(', ')}</Name>,
    },
  ]
}

/** One array volume: its sub-times beside what the hosts measured on the device. */
export default function VolumePage() {
  return (
    <ObjectPage kind="volumes" listTitle="Volumes" facts={facts} below={(volume) => volume.datastores}>
      {(volume, id) => (
        <>
          {volume.peers.length > 0 && (
            <Card title="The same volume on the other array" hint="in the newest minute" flush>
              <VolumesTable volumes={volume.peers} label="The same volume on the other array" />
            </Card>
          )}
          {volume.devices.length > 0 && (
            <Card title="Hosts and devices" hint="in the newest minute" flush>
              <DevicesTable devices={volume.devices} />
            </Card>
          )}
          <SeriesSection kind="volumes" id={id} name={volume.name} newest={volume.newest} />
        </>
      )}
    </ObjectPage>
  )
}

import type { DatastoreOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as objectsCopy from '../../copy/objects'
import { SeriesSection } from '../../domain/counters/SeriesSection'
import { DevicesTable } from '../../domain/lists/DevicesTable'
import { VolumesTable } from '../../domain/lists/VolumesTable'
import { matchedBy } from '../../domain/object/MatchMark'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import { RefList } from '../../domain/object/RefList'
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

/** One datastore: the array's sub-times and the hosts' boundaries on one time axis, and everything they were measured on. */
export default function DatastorePage() {
  return (
    <ObjectPage
      kind="datastores"
      facts={facts}
      match={(datastore) => datastore.match}
      below={(datastore) => datastore.volumes.map(({ id }) => ({ kind: 'volume', id }))}
    >
      {(datastore, id) => (
        <>
          {datastore.volumes.length > 0 && (
            <Card title={objectsCopy.arrayVolumes} hint={objectsCopy.lastMinute} flush>
              <VolumesTable volumes={datastore.volumes} label={objectsCopy.arrayVolumes} />
            </Card>
          )}
          {datastore.devices.length > 0 && (
            <Card title={objectsCopy.hostsAndDevices} hint={objectsCopy.lastMinute} flush>
              <DevicesTable devices={datastore.devices} />
            </Card>
          )}
          {datastore.vms.length > 0 && (
            <Card title={commonCopy.vms} hint={plural(datastore.vms.length, commonCopy.vm)}>
              <RefList refs={datastore.vms} label={objectsCopy.vmsOnDatastore} />
            </Card>
          )}
          <SeriesSection kind="datastores" id={id} name={datastore.name} newest={datastore.newest} />
        </>
      )}
    </ObjectPage>
  )
}

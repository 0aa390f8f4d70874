import type { DatastoreOut } from '../../api/types'
import { Card } from '../../components/Card'
import { DevicesTable } from '../../components/entity/DevicesTable'
import { type Fact, ObjectPage } from '../../components/entity/ObjectPage'
import { RefList } from '../../components/entity/RefList'
import { SeriesSection } from '../../components/entity/SeriesSection'
import { VolumesTable } from '../../components/entity/VolumesTable'
import { matchedBy } from '../../components/MatchMark'
import { Name } from '../../components/Name'
import { datastoreType, plural } from '../../lib/text'
import { formatBytes } from '../../lib/units'

function facts(datastore: DatastoreOut): Fact[] {
  const hosts = new Set(datastore.devices.map((device) => device.host.id)).size
  return [
    { term: 'Type', value: datastoreType(datastore.type) },
    { term: 'vCenter', value: <Name focusable>{datastore.vcenter.name}</Name> },
    {
      term: 'On',
      value: datastore.match.matched
        ? `${plural(datastore.volumes.length, 'volume')}, ${matchedBy(datastore.match)}`
        : 'no known volume',
    },
    { term: 'Used by', value: `${plural(hosts, 'host')}, ${plural(datastore.vms.length, 'VM')}` },
    ...(datastore.capacity_bytes === null ? [] : [{ term: 'Capacity', value: formatBytes(datastore.capacity_bytes) }]),
    ...(datastore.nfs_export === null
      ? []
      : [{ term: 'NFS export', value: <Name focusable>{datastore.nfs_export}</Name> }]),
    ...(datastore.extents.length < 2 ? [] : [{ term: 'Extents', value: String(datastore.extents.length) }]),
  ]
}

/** One datastore: the array's sub-times and the hosts' boundaries on one time axis, and everything they were measured on. */
export default function DatastorePage() {
  return (
    <ObjectPage
      kind="datastores"
      listTitle="Datastores"
      facts={facts}
      match={(datastore) => datastore.match}
      below={(datastore) => datastore.volumes.map(({ id }) => ({ kind: 'volume', id }))}
    >
      {(datastore, id) => (
        <>
          {datastore.volumes.length > 0 && (
            <Card title="Array volumes" hint="in the newest minute" flush>
              <VolumesTable volumes={datastore.volumes} label="Array volumes" />
            </Card>
          )}
          {datastore.devices.length > 0 && (
            <Card title="Hosts and devices" hint="in the newest minute" flush>
              <DevicesTable devices={datastore.devices} />
            </Card>
          )}
          {datastore.vms.length > 0 && (
            <Card title="VMs" hint={plural(datastore.vms.length, 'VM')}>
              <RefList refs={datastore.vms} label="VMs on this datastore" />
            </Card>
          )}
          <SeriesSection kind="datastores" id={id} name={datastore.name} newest={datastore.newest} />
        </>
      )}
    </ObjectPage>
  )
}

import type { ArrayOut } from '../../api/types'
import { Card } from '../../components/Card'
import { type Fact, ObjectPage } from '../../components/entity/ObjectPage'
import { SeriesSection } from '../../components/entity/SeriesSection'
import { plural } from '../../lib/text'
import { ArrayHostsTable } from './ArrayHostsTable'
import { ArrayVolumesCard } from './ArrayVolumesCard'
import { PodsTable } from './PodsTable'

function facts(array: ArrayOut): Fact[] {
  return [
    { term: 'Model', value: array.model ?? 'not read' },
    { term: 'Purity', value: array.purity_version },
    { term: 'REST', value: array.rest_version },
    { term: 'Holds', value: `${plural(array.volumes, 'volume')}, ${plural(array.pods, 'pod')}` },
    { term: 'Serves', value: plural(array.hosts, 'host') },
    {
      term: 'Its own latency',
      value: array.usec_includes_queue ? 'includes queue time' : 'leaves out queue time',
    },
  ]
}

/** One array: where the time of everything on it goes, and what it is connected to. */
export default function ArrayPage() {
  return (
    <ObjectPage kind="arrays" listTitle="Arrays" facts={facts}>
      {(array, id) => (
        <>
          <ArrayVolumesCard array={array} />
          {array.pod_list.length > 0 && (
            <Card title="Pods" flush>
              <PodsTable pods={array.pod_list} />
            </Card>
          )}
          {array.array_hosts.length > 0 && (
            <Card title="Hosts as the array knows them" flush>
              <ArrayHostsTable hosts={array.array_hosts} />
            </Card>
          )}
          <SeriesSection kind="arrays" id={id} name={array.name} newest={array.newest} />
        </>
      )}
    </ObjectPage>
  )
}

import type { ArrayOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as objectsCopy from '../../copy/objects'
import { SeriesSection } from '../../domain/counters/SeriesSection'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import { Card } from '../../kit/layout/Card'
import { plural } from '../../lib/text'
import { ArrayHostsTable } from './ArrayHostsTable'
import { ArrayVolumesCard } from './ArrayVolumesCard'
import { PodsTable } from './PodsTable'

function facts(array: ArrayOut): Fact[] {
  return [
    { term: objectsCopy.model, value: array.model ?? objectsCopy.notCollected },
    ...array.facts.map(({ label, value }) => ({ term: label, value })),
    {
      term: objectsCopy.volumesPods,
      value: `${plural(array.volumes, diagnosisCopy.volume)}, ${plural(array.pods, objectsCopy.podNoun)}`,
    },
    { term: commonCopy.hosts, value: plural(array.hosts, diagnosisCopy.host) },
  ]
}

/** One array: where the time of everything on it goes, and what it is connected to. */
export default function ArrayPage() {
  return (
    <ObjectPage kind="arrays" facts={facts}>
      {(array, id) => (
        <>
          <ArrayVolumesCard array={array} />
          {array.pod_list.length > 0 && (
            <Card title={objectsCopy.pods} flush>
              <PodsTable pods={array.pod_list} />
            </Card>
          )}
          {array.array_hosts.length > 0 && (
            <Card title={objectsCopy.arrayHosts} flush>
              <ArrayHostsTable hosts={array.array_hosts} />
            </Card>
          )}
          <SeriesSection kind="arrays" id={id} name={array.name} newest={array.newest} />
        </>
      )}
    </ObjectPage>
  )
}

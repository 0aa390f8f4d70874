import { lazy } from 'react'
import type { ArrayOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as objectsCopy from '../../copy/objects'
import * as trafficCopy from '../../copy/traffic'
import { type Fact, ObjectPage } from '../../domain/object/ObjectPage'
import type { Section } from '../../domain/sections/section'
import { Card } from '../../kit/layout/Card'
import { plural } from '../../lib/text'

// On the tab Path: their code comes when it is opened.
const ArrayHostsTable = lazy(async () => ({ default: (await import('./ArrayHostsTable')).ArrayHostsTable }))
const ArrayVolumesCard = lazy(async () => ({ default: (await import('./ArrayVolumesCard')).ArrayVolumesCard }))
const PortsTable = lazy(async () => ({ default: (await import('./PortsTable')).PortsTable }))
const PodsTable = lazy(async () => ({ default: (await import('./PodsTable')).PodsTable }))
// On the tab Counters.
const counters = () => import('../../domain/sections/counters')
const WholeArray = lazy(async () => ({ default: (await counters()).WholeArraySection }))
const PortsOverTime = lazy(async () => ({ default: (await counters()).PortsOverTimeSection }))

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

const SECTIONS: readonly Section<'arrays'>[] = [
  {
    id: 'volumes',
    title: commonCopy.volumes,
    tab: 'path',
    render: ({ one, isLive }) => <ArrayVolumesCard array={one} isLive={isLive} />,
  },
  {
    id: 'pods',
    title: objectsCopy.pods,
    tab: 'path',
    applies: ({ one }) => one.pod_list.length > 0,
    render: ({ one }) => (
      <Card title={objectsCopy.pods} flush>
        <PodsTable pods={one.pod_list} />
      </Card>
    ),
  },
  {
    id: 'ports',
    title: objectsCopy.targetPorts,
    tab: 'path',
    applies: ({ one }) => one.ports.length > 0,
    render: ({ one, isLive }) => (
      <Card title={objectsCopy.targetPorts} hint={isLive ? objectsCopy.targetPortsHint : undefined} flush>
        <PortsTable ports={one.ports} isLive={isLive} />
      </Card>
    ),
  },
  {
    id: 'hosts',
    title: objectsCopy.arrayHosts,
    tab: 'path',
    applies: ({ one }) => one.array_hosts.length > 0,
    render: ({ one }) => (
      <Card title={objectsCopy.arrayHosts} flush>
        <ArrayHostsTable hosts={one.array_hosts} />
      </Card>
    ),
  },
  {
    id: 'whole-array',
    title: trafficCopy.wholeArray,
    tab: 'counters',
    render: ({ id, name }) => <WholeArray id={id} name={name} />,
  },
  {
    id: 'ports-over-time',
    title: trafficCopy.targetPorts,
    tab: 'counters',
    render: ({ id, name }) => <PortsOverTime id={id} name={name} />,
  },
]

/** One array: what of the latency on it is its own, and what it is connected to. */
export default function ArrayPage() {
  return <ObjectPage kind="arrays" facts={facts} sections={SECTIONS} />
}

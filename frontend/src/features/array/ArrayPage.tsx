import { useMemo } from 'react'
import type { ArrayOut } from '../../api/types'
import { Card } from '../../components/Card'
import { Names } from '../../components/entity/Names'
import { type Fact, ObjectPage } from '../../components/entity/ObjectPage'
import { SeriesSection } from '../../components/entity/SeriesSection'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { plural } from '../../lib/text'
import { ArrayVolumesCard } from './ArrayVolumesCard'

type Pod = ArrayOut['pod_list'][number]
type ArrayHost = ArrayOut['array_hosts'][number]

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
              <HostsTable hosts={array.array_hosts} />
            </Card>
          )}
          <SeriesSection kind="arrays" id={id} name={array.name} newest={array.newest} />
        </>
      )}
    </ObjectPage>
  )
}

function PodsTable({ pods }: { pods: readonly Pod[] }) {
  const columns = useMemo<Column<Pod>[]>(
    () => [
      {
        id: 'name',
        header: 'Pod',
        width: 200,
        narrow: 110,
        grow: true,
        cell: ({ name }) => <Name focusable>{name}</Name>,
      },
      {
        id: 'stretched',
        header: 'Over',
        width: 300,
        narrow: 190,
        grow: true,
        cell: ({ stretched, arrays }) =>
          stretched ? <Names names={arrays.map(({ name }) => name)} between=" and " /> : 'this array alone',
      },
      { id: 'volumes', header: 'Volumes', width: 100, narrow: 80, align: 'right', cell: ({ volumes }) => volumes },
    ],
    [],
  )
  return <VirtualTable label="Pods" columns={columns} count={pods.length} rowAt={(index) => pods[index]} />
}

function HostsTable({ hosts }: { hosts: readonly ArrayHost[] }) {
  const columns = useMemo<Column<ArrayHost>[]>(
    () => [
      {
        id: 'name',
        header: 'Host',
        width: 200,
        narrow: 160,
        grow: true,
        cell: ({ name }) => <Name focusable>{name}</Name>,
      },
      {
        id: 'health',
        header: 'Ports',
        width: 170,
        cell: ({ port_health }) => <PortHealth health={port_health} />,
      },
      {
        id: 'personality',
        header: 'Personality',
        width: 130,
        cell: ({ personality }) => personality ?? <span className="faint">none</span>,
      },
      {
        id: 'preferred',
        header: 'Preferred arrays',
        width: 220,
        grow: true,
        cell: ({ preferred_arrays }) =>
          preferred_arrays.length === 0 ? (
            <span className="faint">none</span>
          ) : (
            <Names names={preferred_arrays} between=", " />
          ),
      },
    ],
    [],
  )
  return (
    <VirtualTable
      label="Hosts as the array knows them"
      columns={columns}
      count={hosts.length}
      rowAt={(index) => hosts[index]}
    />
  )
}

function PortHealth({ health }: { health: string | null }) {
  if (health === null) return <span className="faint">not read</span>
  return <StateMark tone={health.startsWith('healthy') ? 'good' : 'warn'} word={portWords(health)} />
}

/** "unknown: Unknown" says it twice. */
function portWords(health: string): string {
  const [state = '', detail = ''] = health.split(': ', 2)
  return detail.replace(/\.+$/, '').toLowerCase() === state.toLowerCase() ? state : health
}

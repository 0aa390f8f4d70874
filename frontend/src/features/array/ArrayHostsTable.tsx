/** The hosts that an array has, and what it knows of their ports. */

import { useMemo } from 'react'
import type { ArrayOut } from '../../api/types'
import { Names } from '../../components/entity/Names'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { Stacked, TOLD_PX } from '../../components/table/Told'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { visibleName } from '../../lib/text'

type ArrayHost = ArrayOut['array_hosts'][number]

export function ArrayHostsTable({ hosts }: { hosts: readonly ArrayHost[] }) {
  const columns = useMemo<Column<ArrayHost>[]>(
    () => [
      {
        id: 'told',
        header: 'Host, its ports and personality',
        width: 300,
        grow: true,
        narrowOnly: true,
        cell: (host) => (
          <Stacked
            of={<Name focusable>{host.name}</Name>}
            lines={[
              <PortHealth key="ports" host={host} />,
              host.personality === null ? 'no personality' : `personality ${host.personality}`,
              <Preferred key="preferred" host={host} lead="prefers " absent="prefers no array" />,
            ]}
          />
        ),
      },
      {
        id: 'name',
        header: 'Host',
        width: 200,
        grow: true,
        from: 700,
        cell: ({ name }) => <Name focusable>{name}</Name>,
      },
      { id: 'health', header: 'Ports', width: 200, from: 700, cell: (host) => <PortHealth host={host} /> },
      {
        id: 'personality',
        header: 'Personality',
        width: 130,
        from: 700,
        cell: ({ personality }) => personality ?? <span className="faint">none</span>,
      },
      {
        id: 'preferred',
        header: 'Preferred arrays',
        width: 220,
        grow: true,
        from: 700,
        cell: (host) => <Preferred host={host} absent="none" />,
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
      narrowRowPx={TOLD_PX}
    />
  )
}

function Preferred({ host, lead = '', absent }: { host: ArrayHost; lead?: string; absent: string }) {
  if (host.preferred_arrays.length === 0) return <span className="faint">{absent}</span>
  return <Names names={host.preferred_arrays} between=", " lead={lead} />
}

function PortHealth({ host }: { host: ArrayHost }) {
  if (host.port_health === null) return <span className="faint">not read</span>
  const owner = ownerOf(host)
  if (owner !== null) return <StateMark tone="calm" word={`known by ${visibleName(owner)}`} />
  return (
    <StateMark tone={host.port_health.startsWith('healthy') ? 'good' : 'warn'} word={portWords(host.port_health)} />
  )
}

/**
 * Of a host that is the pod's partner array's ("flasharray-2:esx-01") this array never knows the ports: its own one does. Null: it is
 * this array's, or its ports are known here all the same.
 */
export function ownerOf({ name, is_local, port_health }: Pick<ArrayHost, 'name' | 'is_local' | 'port_health'>) {
  if (is_local || !port_health?.startsWith('unknown')) return null
  const [owner, ...rest] = name.split(':')
  return owner !== undefined && owner !== '' && rest.length > 0 ? owner : 'its own array'
}

/** "unknown: Unknown" says it twice. */
function portWords(health: string): string {
  const [state = '', detail = ''] = health.split(': ', 2)
  return detail.replace(/\.+$/, '').toLowerCase() === state.toLowerCase() ? state : health
}

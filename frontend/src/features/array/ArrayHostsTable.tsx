/** The hosts that an array has, and what it knows of their ports. */

import { useMemo } from 'react'
import type { ArrayOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Names } from '../../kit/text/Names'
import { visibleName } from '../../lib/text'

type ArrayHost = ArrayOut['array_hosts'][number]

export function ArrayHostsTable({ hosts }: { hosts: readonly ArrayHost[] }) {
  const columns = useMemo<Column<ArrayHost>[]>(
    () => [
      {
        id: 'name',
        header: commonCopy.host,
        width: 200,
        grow: true,
        cell: ({ name }) => <Name focusable>{name}</Name>,
      },
      {
        id: 'health',
        header: objectsCopy.ports,
        width: 200,
        compact: 'bare',
        cell: (host) => <PortHealth host={host} />,
      },
      {
        id: 'personality',
        header: objectsCopy.personality,
        width: 130,
        cell: ({ personality }) => personality ?? <span className="faint">{commonCopy.none}</span>,
      },
      {
        id: 'preferred',
        header: objectsCopy.preferredArrays,
        width: 220,
        grow: true,
        cell: (host) => <Preferred host={host} />,
      },
    ],
    [],
  )
  return (
    <VirtualTable
      label={objectsCopy.arrayHosts}
      columns={columns}
      count={hosts.length}
      rowAt={(index) => hosts[index]}
    />
  )
}

function Preferred({ host }: { host: ArrayHost }) {
  if (host.preferred_arrays.length === 0) return <span className="faint">{commonCopy.none}</span>
  return <Names names={host.preferred_arrays} between=", " />
}

function PortHealth({ host }: { host: ArrayHost }) {
  if (host.port_health === null) return <span className="faint">{objectsCopy.notCollected}</span>
  const owner = ownerOf(host)
  if (owner !== null) return <StateMark tone="calm" word={objectsCopy.managedBy(visibleName(owner))} />
  return <StateMark tone={host.port_health.state === 'healthy' ? 'good' : 'warn'} word={portWords(host.port_health)} />
}

/** Of a host of the pod's other array this array does not know the ports: that one does. Null: it is this array's, or its ports are known. */
export function ownerOf({
  is_local,
  port_health,
  managed_by,
}: Pick<ArrayHost, 'is_local' | 'port_health' | 'managed_by'>): string | null {
  if (is_local || port_health?.state !== 'unknown') return null
  return managed_by ?? objectsCopy.itsArray
}

const portWords = ({ state, detail }: NonNullable<ArrayHost['port_health']>): string =>
  detail === null ? state : `${state}: ${detail}`

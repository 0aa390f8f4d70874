/** The target ports of an array: what goes through them, and what their links carry at most. */

import type { ArrayOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Quantity } from '../../kit/text/Quantity'
import { NOT_MEASURED } from '../../lib/units'

type Port = ArrayOut['ports'][number]

const COLUMNS: Column<Port>[] = [
  {
    id: 'name',
    header: objectsCopy.port,
    width: 110,
    cell: ({ name }) => <Name focusable>{name}</Name>,
  },
  {
    id: 'used',
    isCurrent: true,
    header: objectsCopy.lineUsed,
    width: 80,
    align: 'right',
    cell: (port) => <span className="numeric">{usedWords(port)}</span>,
  },
  {
    id: 'transmitted',
    isCurrent: true,
    header: objectsCopy.transmitted,
    width: 120,
    align: 'right',
    cell: ({ transmitted_bytes_per_s }) => (
      <Rate value={transmitted_bytes_per_s} origin={objectsCopy.transmittedOrigin} />
    ),
  },
  {
    id: 'received',
    isCurrent: true,
    header: objectsCopy.received,
    width: 120,
    align: 'right',
    cell: ({ received_bytes_per_s }) => <Rate value={received_bytes_per_s} origin={objectsCopy.receivedOrigin} />,
  },
  {
    id: 'line_rate',
    header: objectsCopy.lineRate,
    width: 120,
    align: 'right',
    cell: ({ line_rate_bytes_per_s }) => <Rate value={line_rate_bytes_per_s} origin={objectsCopy.lineRateOrigin} />,
  },
  {
    id: 'errors',
    isCurrent: true,
    header: objectsCopy.portErrors,
    width: 80,
    align: 'right',
    cell: ({ errors }) => <Quantity value={errors} unit="count" origin={objectsCopy.portErrorsOrigin} />,
  },
  {
    id: 'hosts',
    header: commonCopy.hosts,
    width: 130,
    align: 'right',
    cell: ({ hosts }) => hosts ?? <span className="faint">{objectsCopy.sharedAddress}</span>,
  },
  {
    id: 'address',
    header: objectsCopy.portAddress,
    width: 230,
    grow: true,
    cell: ({ address }) => <Name focusable>{address ?? commonCopy.none}</Name>,
  },
]

const SETTINGS = COLUMNS.filter(({ isCurrent }) => isCurrent !== true)

/** `isLive`: with the traffic of the newest minutes. */
export function PortsTable({ ports, isLive }: { ports: readonly Port[]; isLive: boolean }) {
  return (
    <VirtualTable
      label={objectsCopy.targetPorts}
      columns={isLive ? COLUMNS : SETTINGS}
      count={ports.length}
      rowAt={(index) => ports[index]}
    />
  )
}

const Rate = ({ value, origin }: { value: number | null; origin: string }) => (
  <Quantity value={value} unit="bytes/s" origin={origin} />
)

/** Of the line rate, by the busier way: "42 %". */
export function usedWords(
  port: Pick<Port, 'line_rate_bytes_per_s' | 'received_bytes_per_s' | 'transmitted_bytes_per_s'>,
): string {
  const { line_rate_bytes_per_s: most, received_bytes_per_s: received, transmitted_bytes_per_s: transmitted } = port
  if (most === null || most <= 0 || received === null || transmitted === null) return NOT_MEASURED
  return `${Math.round((100 * Math.max(received, transmitted)) / most)} %`
}

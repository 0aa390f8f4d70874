/** The columns that every list of objects has: the newest minute as the two sides tell it. */

import type { Sides } from '../../api/types'
import { instantMs } from '../../lib/time'
import { DataAge } from '../DataAge'
import { NO_IO, Quantity } from '../Quantity'
import type { Column } from '../table/VirtualTable'
import { SidesBar } from './SidesBar'
import { isIdle } from './sides'

interface Measured {
  newest: Sides
}

/**
 * `leads`: where the numbers were measured that the API's `latency` and `iops` sort by. `others`: whose I/Os the array's numbers
 * are over, where not only those of the row: it counts whole volumes.
 */
export function sidesColumns<Row extends Measured>(
  max_us: number,
  leads: 'host' | 'disk' | 'array',
  others = '',
): Column<Row>[] {
  const hostLeads = leads !== 'array'
  const whose = others && `, ${others}`
  const host: Column<Row>[] = [
    latency('gavg', leads === 'disk' ? 'Disk latency' : 'GAVG', (newest) => newest.host_gavg_us, {
      sortKey: hostLeads ? 'latency' : undefined,
      isHost: true,
    }),
    ...(leads === 'disk'
      ? []
      : [
          ...(hostLeads ? [davg<Row>()] : []),
          latency<Row>('kavg', 'KAVG', (newest) => newest.host_kavg_us, { from: 1200, isHost: true }),
        ]),
    rate('host-iops', 'Host IOPS', (newest) => newest.host_iops, { sortKey: hostLeads ? 'iops' : undefined }),
  ]
  const array: Column<Row>[] = [
    latency('array', 'Array inside', (newest) => newest.array_internal_us, {
      width: 110,
      sortKey: hostLeads ? undefined : 'latency',
    }),
    latency('san', 'SAN', (newest) => newest.array_san_us, { from: 1600 }),
    rate('array-iops', `Array IOPS${whose}`, (newest) => newest.array_iops, {
      width: 98 + 6 * whose.length,
      sortKey: hostLeads ? undefined : 'iops',
    }),
  ]
  const both: Column<Row> = {
    id: 'bars',
    header: 'Hosts over array',
    width: 120,
    from: 1200,
    cell: ({ newest }) => <SidesBar newest={newest} max_us={max_us} />,
  }
  const age: Column<Row> = {
    id: 'age',
    header: 'Age',
    width: 76,
    align: 'right',
    from: 700,
    cell: ({ newest }) => <DataAge at_ms={instantMs(newest.at)} short />,
  }
  return [both, ...(hostLeads ? [...host, ...array] : [...array, ...host]), age]
}

const davg = <Row extends Measured>() =>
  latency<Row>('davg', 'DAVG', (newest) => newest.host_davg_us, { from: 1600, isHost: true })

type Options = Partial<Pick<Column<Measured>, 'from' | 'sortKey' | 'width'>> & { isHost?: boolean }

function latency<Row extends Measured>(
  id: string,
  header: string,
  read: (newest: Sides) => number | null,
  { isHost = false, ...options }: Options = {},
): Column<Row> {
  const origin = isHost
    ? `${header} over all hosts, mean of the newest minute`
    : 'measured by the array, mean of the newest minute'
  return {
    id,
    header,
    width: 98,
    align: 'right',
    ...options,
    cell: ({ newest }) => (
      <Quantity
        value={read(newest)}
        unit="µs"
        precision={isHost ? newest.host_precision_us : null}
        isCompared={isHost}
        origin={origin}
        absent={isIdle(newest, isHost ? 'host' : 'array') ? NO_IO : undefined}
      />
    ),
  }
}

function rate<Row extends Measured>(
  id: string,
  header: string,
  read: (newest: Sides) => number | null,
  options: Options = {},
): Column<Row> {
  return {
    id,
    header,
    width: 98,
    align: 'right',
    ...options,
    cell: ({ newest }) => <Quantity value={read(newest)} unit="ops/s" bare />,
  }
}

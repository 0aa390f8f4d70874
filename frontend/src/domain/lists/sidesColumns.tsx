/** The columns that every list of objects has: the newest minute as the two sides tell it. */

import type { Sides } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import * as listsCopy from '../../copy/lists'
import { DataAge } from '../../kit/state/DataAge'
import type { Column } from '../../kit/table/Column'
import { Noted } from '../../kit/text/Noted'
import { NO_IO, Quantity } from '../../kit/text/Quantity'
import { rounded } from '../../lib/csv'
import { instantMs } from '../../lib/time'
import { SidesBar } from './SidesBar'
import { isIdle } from './sides'

interface Measured {
  newest: Sides
}

/** What the numbers of a row have to be read with. */
export interface Notes {
  /** Beside the operations of each side. */
  host?: string
  array?: string
  /** Beside the array's time. */
  arrayTime?: string
  /** In place of an array's latencies where it counted no I/O. */
  elsewhere?: string
}

/**
 * `leads`: where the numbers were measured that the API's `latency` and `iops` sort by. `others`: whose I/Os the array's numbers
 * are over, where not only those of the row: it counts whole volumes.
 */
export function sidesColumns<Row extends Measured>(
  max_us: number,
  leads: Leads,
  others = '',
  notes: (row: Row) => Notes = () => ({}),
): Column<Row>[] {
  const hostLeads = leads !== 'array'
  const whose = others && `, ${others}`
  const host: Column<Row>[] = [
    latency('gavg', leads === 'disk' ? listsCopy.diskLatency : countersCopy.gavg, (newest) => newest.host_gavg_us, {
      sortKey: hostLeads ? 'latency' : undefined,
      isHost: true,
    }),
    ...(leads === 'disk'
      ? []
      : [
          ...(hostLeads ? [davg<Row>()] : []),
          latency<Row>('kavg', countersCopy.kavg, (newest) => newest.host_kavg_us, { priority: 3, isHost: true }),
        ]),
    rate<Row>(
      'host-iops',
      listsCopy.hostIops,
      (newest) => newest.host_iops,
      (row) => notes(row).host,
      {
        sortKey: hostLeads ? 'iops' : undefined,
      },
    ),
  ]
  const array: Column<Row>[] = [
    latency<Row>('array', listsCopy.arrayLatency, (newest) => newest.array_internal_us, {
      width: 110,
      sortKey: hostLeads ? undefined : 'latency',
      elsewhere: (row) => notes(row).elsewhere,
      note: (row) => notes(row).arrayTime,
    }),
    latency<Row>('san', listsCopy.san, (newest) => newest.array_san_us, {
      priority: 4,
      elsewhere: (row) => notes(row).elsewhere,
    }),
    rate<Row>(
      'array-iops',
      listsCopy.arrayIops(whose),
      (newest) => newest.array_iops,
      (row) => notes(row).array,
      {
        width: 98 + 6 * whose.length,
        sortKey: hostLeads ? undefined : 'iops',
      },
    ),
  ]
  const both: Column<Row> = {
    id: 'bars',
    header: listsCopy.hostVsArray,
    width: 120,
    priority: 3,
    cell: ({ newest }) => <SidesBar newest={newest} max_us={max_us} />,
  }
  const age: Column<Row> = {
    id: 'age',
    header: listsCopy.age,
    width: 76,
    minWidth: 70,
    priority: 1,
    align: 'right',
    csv: ({ newest }) => newest.at,
    csvHeader: listsCopy.lastSampleAt,
    cell: ({ newest }) => <DataAge at_ms={instantMs(newest.at)} short />,
  }
  const all = [both, ...(hostLeads ? [...host, ...array] : [...array, ...host]), age]
  return all.map((column) => ({ ...column, isCurrent: true }))
}

const davg = <Row extends Measured>() =>
  latency<Row>('davg', countersCopy.davg, (newest) => newest.host_davg_us, { priority: 4, isHost: true })

type Leads = 'host' | 'disk' | 'array'
type Placing = Partial<Pick<Column<Measured>, 'priority' | 'sortKey' | 'width'>>
type Told<Row> = (row: Row) => string | undefined
type Options<Row> = Placing & { isHost?: boolean; elsewhere?: Told<Row>; note?: Told<Row> }

function latency<Row extends Measured>(
  id: string,
  header: string,
  read: (newest: Sides) => number | null,
  { isHost = false, elsewhere, note, ...options }: Options<Row> = {},
): Column<Row> {
  const origin = isHost ? listsCopy.hostOrigin(header) : listsCopy.arrayOrigin
  return {
    id,
    header,
    width: 98,
    align: 'right',
    ...options,
    csv: (row) => rounded(read(row.newest)),
    csvHeader: listsCopy.csvLatency(header),
    cell: (row) => (
      <Noted note={note?.(row) ?? null}>
        <Quantity
          value={read(row.newest)}
          unit="µs"
          precision={isHost ? row.newest.host_precision_us : null}
          isCompared={isHost}
          origin={origin}
          absent={isIdle(row.newest, isHost ? 'host' : 'array') ? (elsewhere?.(row) ?? NO_IO) : undefined}
        />
      </Noted>
    ),
  }
}

function rate<Row extends Measured>(
  id: string,
  header: string,
  read: (newest: Sides) => number | null,
  note: Told<Row>,
  options: Placing = {},
): Column<Row> {
  return {
    id,
    header,
    width: 98,
    align: 'right',
    ...options,
    csv: (row) => rounded(read(row.newest)),
    cell: (row) => (
      <Noted note={note(row) ?? null}>
        <Quantity value={read(row.newest)} unit="ops/s" bare />
      </Noted>
    ),
  }
}

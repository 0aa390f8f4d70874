/** A datastore as each of its hosts sees it: what the host counted, its queue, and how many of its VMs are active there. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { HostOnDatastore } from '../../api/types'
import { hostRowsQuery, type VerdictWindow } from '../../api/verdicts'
import { usePreferences } from '../../lib/preferences'
import { formatClock } from '../../lib/time'
import { formatLatencyIn, formatPrecision, formatRate, type LatencyScale, latencyScale } from '../../lib/units'
import { Card } from '../Card'
import { useCursorMinute } from '../chart/useCursorTime'
import { DataState } from '../DataState'
import { EntityLink } from '../EntityLink'
import { Stacked, TOLD_PX } from '../table/Told'
import { type Column, VirtualTable } from '../table/VirtualTable'
import { CardSkeleton } from './Skeletons'

export function HostsCard({ id, window }: { id: number; window: VerdictWindow }) {
  const { zone } = usePreferences()
  const minute = useCursorMinute()
  const query = useQuery(hostRowsQuery(id, minute ?? window))
  const when = minute === null ? '' : ` · at ${formatClock(minute.from_ms, zone)}, at the cursor`
  return (
    <DataState query={query} skeleton={<CardSkeleton height={170} />}>
      {({ hosts }) =>
        hosts.length > 0 && (
          <Card
            title="Per host"
            hint={`the hosts’ own counters, reads and writes together, busiest first${when}`}
            flush
          >
            <HostsTable hosts={hosts} />
          </Card>
        )
      }
    </DataState>
  )
}

export function HostsTable({ hosts }: { hosts: readonly HostOnDatastore[] }) {
  const columns = useMemo(() => hostColumns(hosts), [hosts])
  return (
    <VirtualTable
      label="Datastore per host"
      columns={columns}
      count={hosts.length}
      rowAt={(index) => hosts[index]}
      rowKey={({ subject }) => String(subject.id)}
      narrowRowPx={TOLD_PX}
      wraps="on phones"
    />
  )
}

const LATENCIES = [
  ['gavg_us', 'GAVG', 'kernel and everything below it'],
  ['davg_us', 'DAVG', 'from the adapter’s driver to the array and back'],
  ['kavg_us', 'KAVG', 'in the VMkernel, its queue included'],
  ['qavg_us', 'QAVG', 'the queue’s part of KAVG'],
] as const

/** One unit and one number of decimals for all latencies, named in the heads, so that columns compare digit by digit. */
function hostColumns(hosts: readonly HostOnDatastore[]): Column<HostOnDatastore>[] {
  const scale = scaleOf(hosts)
  return [
    {
      id: 'told',
      header: `Host, its counters in ${scale.unit}`,
      width: 280,
      grow: true,
      narrowOnly: true,
      cell: (one) => (
        <Stacked of={<EntityLink to={one.subject} />} lines={[loadWords(one), latencyWords(one, scale)]} />
      ),
    },
    {
      id: 'host',
      header: 'Host',
      width: 200,
      grow: true,
      from: 700,
      cell: ({ subject }) => <EntityLink to={subject} />,
    },
    number('iops', 'IOPS', 116, ({ iops }) => (iops === null ? null : formatRate(iops))),
    ...LATENCIES.map(([name, header, meaning]) =>
      number(
        name,
        `${header}, ${scale.unit}`,
        112,
        (one) => latencyCell(one, name, scale),
        ({ precision_us }) => `${meaning}; steps of ${formatPrecision(precision_us, 'µs')}`,
      ),
    ),
    number('depth', 'Queue depth, I/Os', 150, ({ queue_depth }) =>
      queue_depth === null ? null : formatRate(queue_depth),
    ),
    number('vms', 'VMs active', 128, activeVms, () => 'VMs on this host with I/O here, of those with a disk here'),
  ]
}

const activeVms = ({ vms_active, vms }: HostOnDatastore) =>
  vms === 0 ? '0' : vms_active === null ? null : `${vms_active} of ${vms}`

const latencyCell = (one: HostOnDatastore, name: (typeof LATENCIES)[number][0], scale: LatencyScale) =>
  one.iops === 0 ? 'no I/O' : bareLatency(one[name], scale, one.precision_us)

/** "1,264 IOPS · depth 32 · 2 of 3 VMs active". */
function loadWords(one: HostOnDatastore): string {
  const vms = activeVms(one)
  return [
    one.iops === null ? 'IOPS not measured' : `${formatRate(one.iops)} IOPS`,
    one.queue_depth === null ? 'depth not measured' : `depth ${formatRate(one.queue_depth)}`,
    vms === null ? 'active VMs not measured' : `${vms} VMs active`,
  ].join(' · ')
}

/** "GAVG 0.31 · DAVG 0.30 · KAVG 0.01 · QAVG –", "no I/O". */
function latencyWords(one: HostOnDatastore, scale: LatencyScale): string {
  if (one.iops === 0) return 'no I/O'
  const words = LATENCIES.map(([name, header]) => `${header} ${latencyCell(one, name, scale) ?? 'not measured'}`)
  return words.join(' · ')
}

/** Counters of whole ms among them say nothing in µs. */
function scaleOf(hosts: readonly HostOnDatastore[]): LatencyScale {
  const scale = latencyScale(Math.max(0, ...hosts.flatMap((one) => LATENCIES.map(([name]) => one[name] ?? 0))))
  return hosts.some(({ precision_us }) => (precision_us ?? 0) >= 1000) ? { ...scale, unit: 'ms' } : scale
}

/** The number without its unit, which stands in the head. */
function bareLatency(value_us: number | null, scale: LatencyScale, precision_us: number | null): string | null {
  return value_us === null ? null : formatLatencyIn(value_us, scale, precision_us).replace(` ${scale.unit}`, '')
}

function number(
  id: string,
  header: string,
  width: number,
  read: (row: HostOnDatastore) => string | null,
  title?: (row: HostOnDatastore) => string,
): Column<HostOnDatastore> {
  return {
    id,
    header,
    width,
    align: 'right',
    from: 700,
    cell: (row) => {
      const text = read(row)
      return text === null ? (
        <span className="faint">not measured</span>
      ) : (
        <span className="numeric" title={title?.(row)}>
          {text}
        </span>
      )
    },
  }
}

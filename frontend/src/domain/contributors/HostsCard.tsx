/** A datastore as each of its hosts sees it: what the host counted, its queue, and how many of its VMs are active there. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type DiagnosisWindow, hostRowsQuery } from '../../api/diagnoses'
import type { HostOnDatastore } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import * as unitsCopy from '../../copy/units'
import { useCursorMinute } from '../../kit/chart/useCursorTime'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { Stacked, TOLD_PX } from '../../kit/table/Told'
import { type Column, VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { formatClock } from '../../lib/time'
import { formatBareLatency, formatPrecision, formatRate, type LatencyScale, latencyScale } from '../../lib/units'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { EntityLink } from '../object/EntityLink'

export function HostsCard({ id, window }: { id: number; window: DiagnosisWindow }) {
  const { zone } = usePreferences()
  const minute = useCursorMinute()
  const query = useQuery(hostRowsQuery(id, minute ?? window))
  const when = minute === null ? '' : commonCopy.atCursor(formatClock(minute.from_ms, zone))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={170} />}>
      {({ hosts }) =>
        hosts.length > 0 && (
          <Card title={countersCopy.perHost} hint={countersCopy.perHostHint(when)} flush>
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
      label={countersCopy.perHostTable}
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
  ['gavg_us', countersCopy.gavg, countersCopy.gavgMeaning],
  ['davg_us', countersCopy.davg, countersCopy.davgMeaning],
  ['kavg_us', countersCopy.kavg, countersCopy.kavgMeaning],
  ['qavg_us', countersCopy.qavg, countersCopy.qavgMeaning],
] as const

/** One unit and one number of decimals for all latencies, named in the heads, so that columns compare digit by digit. */
function hostColumns(hosts: readonly HostOnDatastore[]): Column<HostOnDatastore>[] {
  const scale = scaleOf(hosts)
  return [
    {
      id: 'told',
      header: countersCopy.hostCounters(scale.unit),
      width: 280,
      grow: true,
      narrowOnly: true,
      cell: (one) => (
        <Stacked of={<EntityLink to={one.subject} />} lines={[loadWords(one), latencyWords(one, scale)]} />
      ),
    },
    {
      id: 'host',
      header: commonCopy.host,
      width: 200,
      grow: true,
      from: 700,
      cell: ({ subject }) => <EntityLink to={subject} />,
    },
    number('iops', commonCopy.iops, 116, ({ iops }) => (iops === null ? null : formatRate(iops))),
    ...LATENCIES.map(([name, header, meaning]) =>
      number(
        name,
        `${header}, ${scale.unit}`,
        112,
        (one) => latencyCell(one, name, scale),
        ({ precision_us }) => countersCopy.meaningResolution(meaning, formatPrecision(precision_us, 'µs')),
      ),
    ),
    number('depth', countersCopy.queueDepth, 150, ({ queue_depth }) =>
      queue_depth === null ? null : formatRate(queue_depth),
    ),
    number('vms', countersCopy.activeVms, 128, activeVms, () => countersCopy.activeVmsHint),
  ]
}

const activeVms = ({ vms_active, vms }: HostOnDatastore) =>
  vms === 0 ? '0' : vms_active === null ? null : countersCopy.vmsOf(vms_active, vms)

const latencyCell = (one: HostOnDatastore, name: (typeof LATENCIES)[number][0], scale: LatencyScale) =>
  one.iops === 0 ? unitsCopy.noIo : bareLatency(one[name], scale, one.precision_us)

/** "1,264 IOPS · depth 32 · 2 of 3 VMs active". */
function loadWords(one: HostOnDatastore): string {
  const vms = activeVms(one)
  return [
    one.iops === null ? countersCopy.iopsNotMeasured : countersCopy.iopsValue(formatRate(one.iops)),
    one.queue_depth === null ? countersCopy.depthNotMeasured : countersCopy.depthValue(formatRate(one.queue_depth)),
    vms === null ? countersCopy.activeVmsNotMeasured : countersCopy.activeVmsValue(vms),
  ].join(' · ')
}

/** "GAVG 0.31 · DAVG 0.30 · KAVG 0.01 · QAVG –", "no I/O". */
function latencyWords(one: HostOnDatastore, scale: LatencyScale): string {
  if (one.iops === 0) return unitsCopy.noIo
  const words = LATENCIES.map(([name, header]) => `${header} ${latencyCell(one, name, scale) ?? unitsCopy.notMeasured}`)
  return words.join(' · ')
}

/** Counters of whole ms among them say nothing in µs. */
function scaleOf(hosts: readonly HostOnDatastore[]): LatencyScale {
  const scale = latencyScale(Math.max(0, ...hosts.flatMap((one) => LATENCIES.map(([name]) => one[name] ?? 0))))
  return hosts.some(({ precision_us }) => (precision_us ?? 0) >= 1000) ? { ...scale, unit: 'ms' } : scale
}

/** The number without its unit, which stands in the head. */
function bareLatency(value_us: number | null, scale: LatencyScale, precision_us: number | null): string | null {
  return value_us === null ? null : formatBareLatency(value_us, scale, precision_us)
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
        <span className="faint">{unitsCopy.notMeasured}</span>
      ) : (
        <span className="numeric" title={title?.(row)}>
          {text}
        </span>
      )
    },
  }
}

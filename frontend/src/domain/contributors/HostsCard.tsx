/** A datastore as each of its hosts sees it: what the host counted, its queue, and how many of its VMs are active there. */

import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { contributorsQuery, type DiagnosisWindow, hostRowsQuery } from '../../api/diagnoses'
import type { HostOnDatastore, Layer } from '../../api/types'
import { layerWord } from '../../charts/segments'
import * as commonCopy from '../../copy/common'
import * as contributorsCopy from '../../copy/contributors'
import * as countersCopy from '../../copy/counters'
import * as unitsCopy from '../../copy/units'
import { useCursorMinute } from '../../kit/chart/useCursorTime'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { formatClock } from '../../lib/time'
import { formatBareLatency, formatPrecision, formatRate, type LatencyScale, latencyScale } from '../../lib/units'
import { NoNumbers } from '../diagnosis/NoNumbers'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { EntityLink } from '../object/EntityLink'
import { shareNumber } from './ContributorsCard'
import { useContributedLayer } from './useContributedLayer'

interface HostsCardProps {
  id: number
  window: DiagnosisWindow
  /** The layers that the diagnosis names: of the first one each host has a share. */
  named: readonly Layer[]
}

export function HostsCard({ id, window, named }: HostsCardProps) {
  const { zone } = usePreferences()
  const minute = useCursorMinute()
  const [layer] = useContributedLayer(named)
  const query = useQuery(hostRowsQuery(id, minute ?? window))
  const contributors = useQuery(contributorsQuery('datastores', id, layer, minute ?? window)).data
  const shares = useMemo(
    () => new Map(contributors?.hosts.map((one) => [one.subject.id, shareNumber(one)])),
    [contributors],
  )
  const when = minute === null ? '' : commonCopy.atCursor(formatClock(minute.from_ms, zone))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={170} />}>
      {({ hosts }) => (
        <Card title={countersCopy.perHost} hint={countersCopy.perHostHint(unitOf(hosts), when)} flush stretch>
          {hosts.length > 0 ? (
            <HostsTable hosts={hosts} shares={shares} layer={layer} />
          ) : (
            <NoNumbers title={countersCopy.noHostSamples} state="judged" />
          )}
        </Card>
      )}
    </DataState>
  )
}

interface HostsTableProps {
  hosts: readonly HostOnDatastore[]
  /** "98 %" of the layer's latency, by host; null and left out where it is not known. */
  shares: ReadonlyMap<number, string | null>
  layer: Layer
}

export function HostsTable({ hosts, shares, layer }: HostsTableProps) {
  const columns = useMemo(() => hostColumns(hosts, shares, layer), [hosts, shares, layer])
  return (
    <VirtualTable
      label={countersCopy.perHostTable}
      columns={columns}
      count={hosts.length}
      rowAt={(index) => hosts[index]}
      rowKey={({ subject }) => String(subject.id)}
      rowPx={ROW_PX}
    />
  )
}

const LATENCIES = [
  ['gavg_us', countersCopy.gavg, countersCopy.gavgMeaning],
  ['davg_us', countersCopy.davg, countersCopy.davgMeaning],
  ['kavg_us', countersCopy.kavg, countersCopy.kavgMeaning],
  ['qavg_us', countersCopy.qavg, countersCopy.qavgMeaning],
] as const

const ROW_PX = 34

/** One unit and one number of decimals for all latencies, so that columns compare digit by digit. */
function hostColumns(
  hosts: readonly HostOnDatastore[],
  shares: HostsTableProps['shares'],
  layer: Layer,
): Column<HostOnDatastore>[] {
  const scale = scaleOf(hosts)
  const shareOf = ({ subject }: HostOnDatastore) => shares.get(subject.id) ?? null
  return [
    {
      id: 'host',
      header: commonCopy.host,
      width: 108,
      grow: true,
      cell: ({ subject }) => <EntityLink to={subject} />,
    },
    number('share', contributorsCopy.share, 76, shareOf, () => countersCopy.shareMeaning(layerWord(layer))),
    number('iops', commonCopy.iops, 78, ({ iops }) => (iops === null ? null : formatRate(iops))),
    ...LATENCIES.map(([name, header, meaning]) =>
      number(
        name,
        header,
        62,
        (one) => latencyCell(one, name, scale),
        ({ precision_us }) => countersCopy.meaningResolution(meaning, formatPrecision(precision_us, 'µs')),
      ),
    ),
    number(
      'depth',
      countersCopy.dqlen,
      66,
      ({ queue_depth }) => (queue_depth === null ? null : formatRate(queue_depth)),
      () => countersCopy.queueDepth,
    ),
    number('vms', countersCopy.activeVms, 100, activeVms, () => countersCopy.activeVmsHint),
  ]
}

const activeVms = ({ vms_active, vms }: HostOnDatastore) =>
  vms === 0 ? '0' : vms_active === null ? null : countersCopy.vmsOf(vms_active, vms)

const latencyCell = (one: HostOnDatastore, name: (typeof LATENCIES)[number][0], scale: LatencyScale) =>
  one.iops === 0 ? unitsCopy.noIo : bareLatency(one[name], scale, one.precision_us)

const unitOf = (hosts: readonly HostOnDatastore[]) => scaleOf(hosts).unit

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
    cell: (row) => {
      const text = read(row)
      return text === null ? (
        <span className="faint" title={unitsCopy.notMeasured}>
          <span aria-hidden="true">–</span>
          <VisuallyHidden>{unitsCopy.notMeasured}</VisuallyHidden>
        </span>
      ) : (
        <span className="numeric" title={title?.(row)}>
          {text}
        </span>
      )
    },
  }
}

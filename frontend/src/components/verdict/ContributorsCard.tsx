/** Whose I/Os spend the time in one layer, ranked by I/O-time. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Contributor, Layer } from '../../api/types'
import { contributorsQuery, type JudgedKind, type VerdictWindow } from '../../api/verdicts'
import { type LayerId, layerWord } from '../../charts/segments'
import { shareText } from '../../charts/waterfall'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatClock } from '../../lib/time'
import { formatIops } from '../../lib/units'
import { useSearchParameter } from '../../lib/url'
import { Card } from '../Card'
import { useCursorMinute } from '../chart/useCursorTime'
import { DataState, EmptyState } from '../DataState'
import { EntityLink } from '../EntityLink'
import { Quantity } from '../Quantity'
import { type Column, VirtualTable } from '../table/VirtualTable'
import { LayerBar } from './LayerBar'
import { NoNumbers } from './NoNumbers'
import { ios, iosWithin } from './OccupancyCard'
import { CardSkeleton } from './Skeletons'
import styles from './Verdict.module.css'

const LAYERS: readonly Layer[] = ['guest', 'kernel', 'san', 'array']

interface ContributorsCardProps {
  kind: JudgedKind
  id: number
  window: VerdictWindow
  /** The layer that the verdict names. */
  named: string | null
  /** Whether anything is known of the window. */
  hasData: boolean
}

export function ContributorsCard({ kind, id, window, named, hasData }: ContributorsCardProps) {
  const [chosen, choose] = useSearchParameter('of', '')
  const layer =
    LAYERS.find((one) => one === chosen) ?? LAYERS.find((one) => named?.split('_').includes(one)) ?? 'kernel'
  const { zone } = usePreferences()
  const minute = useCursorMinute()
  const query = useQuery(contributorsQuery(kind, id, layer, minute ?? window))
  const when = minute === null ? '' : ` · at ${formatClock(minute.from_ms, zone)}, at the cursor`
  return (
    <Card
      title="Who takes part"
      hint={`ranked by I/O-time in this layer${when}`}
      actions={<LayerSwitch layer={layer} onChoose={choose} />}
      flush
    >
      <DataState query={query} skeleton={<CardSkeleton height={200} />}>
        {({ vms, vms_total, hosts, hosts_total, non_vm_iops }) =>
          vms.length + hosts.length === 0 ? (
            <Nobody hasData={hasData || minute !== null} layer={layer} />
          ) : (
            <>
              {kind !== 'vms' && vms.length > 0 && (
                <Ranking label="VMs" rows={vms} total={vms_total} layers={[layer]} noun="VM" />
              )}
              {kind !== 'hosts' && layer === 'kernel' && non_vm_iops !== null && vms.length > 0 && hosts.length > 0 && (
                <p className={styles.silent}>
                  Hosts are told by their devices: what waits above these, at virtual disks, is among the VMs’ time
                  only.
                </p>
              )}
              {kind !== 'hosts' && hosts.length > 0 && (
                <Ranking label="Hosts" rows={hosts} total={hosts_total} layers={[layer]} noun="host" />
              )}
              {non_vm_iops !== null && non_vm_iops >= 1 && (
                <p className={styles.silent}>{formatIops(Math.round(non_vm_iops))} come from no VM: non-VM I/O.</p>
              )}
            </>
          )
        }
      </DataState>
    </Card>
  )
}

/** No data is not the same as no time. */
export function Nobody({ hasData, layer }: { hasData: boolean; layer: Layer }) {
  if (!hasData) return <NoNumbers title="" state="no_data" />
  return (
    <EmptyState title="Nobody to rank" text={`No time of this window is known to be spent in ${layerWord(layer)}.`} />
  )
}

function LayerSwitch({
  layer,
  onChoose,
}: {
  layer: Layer
  onChoose: (layer: string, options: { replace: boolean }) => void
}) {
  return (
    <fieldset className={styles.switch} aria-label="Layer in which the time is ranked">
      {LAYERS.map((one) => (
        <button key={one} type="button" aria-pressed={one === layer} onClick={() => onChoose(one, { replace: true })}>
          {layerWord(one)}
        </button>
      ))}
    </fieldset>
  )
}

interface RankingProps {
  label: string
  noun: string
  rows: readonly Contributor[]
  total: number
  layers: readonly LayerId[]
}

/** A zero that only means "less than the counters can tell" is told by its bound. */
function perIo({ us, upper_ios, iops, is_merged }: Contributor): { us: number | null; isBound: boolean } {
  if (us === 0 && upper_ios > 0 && iops > 0) return { us: (upper_ios / iops) * 1e6, isBound: true }
  return { us, isBound: is_merged && us !== null }
}

export function Ranking({ label, noun, rows, total, layers }: RankingProps) {
  const columns = useMemo<Column<Contributor>[]>(
    () => [
      {
        id: 'name',
        header: label === 'VMs' ? 'VM' : 'Host',
        width: 220,
        narrow: 140,
        grow: true,
        cell: ({ subject }) => <EntityLink to={subject} />,
      },
      {
        id: 'share',
        header: 'Share of the time',
        width: 190,
        grow: true,
        from: 700,
        cell: ({ time_share, us }) => (
          <LayerBar
            pieces={[{ name: 'share', label: '', layers, size: time_share ?? 0 }]}
            max={1}
            words={(us !== null && shareText(time_share)) || 'not known'}
          />
        ),
      },
      {
        id: 'percent',
        header: 'Share',
        width: 76,
        align: 'right',
        cell: ({ time_share, us }) => <span className="numeric">{us === null ? '–' : shareText(time_share)}</span>,
      },
      {
        id: 'ios',
        header: 'I/Os inside',
        width: 104,
        align: 'right',
        cell: (one) => (
          <span className="numeric" title={`between ${ios(one.lower_ios)} and ${ios(one.upper_ios)}`}>
            {one.us === null ? '–' : iosWithin(one)}
          </span>
        ),
      },
      {
        id: 'us',
        header: 'Per I/O',
        width: 112,
        align: 'right',
        cell: (one) => {
          const { us, isBound } = perIo(one)
          return (
            <span title={one.is_merged ? 'partly not told apart from the neighbouring layer' : undefined}>
              {isBound && '≤ '}
              <Quantity value={us} unit="µs" />
            </span>
          )
        },
      },
      {
        id: 'iops',
        header: 'IOPS',
        width: 92,
        align: 'right',
        cell: ({ iops }) => <Quantity value={iops} unit="ops/s" bare />,
      },
    ],
    [label, layers],
  )
  return (
    <>
      <VirtualTable
        label={`${label} by I/O-time`}
        columns={columns}
        count={rows.length}
        rowAt={(index) => rows[index]}
      />
      {total > rows.length && (
        <p className={styles.silent}>
          The first {rows.length} of {plural(total, noun)} with I/O.
        </p>
      )}
    </>
  )
}

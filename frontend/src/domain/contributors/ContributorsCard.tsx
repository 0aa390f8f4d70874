/** Whose I/Os spend the time in one layer, ranked by I/O-time. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { contributorsQuery, type DiagnosisWindow } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import type { Contributor, Layer } from '../../api/types'
import { type LayerId, layerWord } from '../../charts/segments'
import { shareText } from '../../charts/waterfall'
import * as commonCopy from '../../copy/common'
import * as contributorsCopy from '../../copy/contributors'
import { useCursorMinute } from '../../kit/chart/useCursorTime'
import { Segments } from '../../kit/form/Segments'
import { Card } from '../../kit/layout/Card'
import { columnWidths, leastWidth } from '../../kit/layout/columns'
import { DataState, EmptyState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Quantity } from '../../kit/text/Quantity'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatClock } from '../../lib/time'
import { formatIops } from '../../lib/units'
import { ios, iosWithin } from '../breakdown/ios'
import { NoNumbers } from '../diagnosis/NoNumbers'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { LayerBar } from '../io-path/LayerBar'
import { EntityLink } from '../object/EntityLink'
import { LAYERS, useContributedLayer } from './useContributedLayer'

interface ContributorsCardProps {
  kind: EntityKind
  id: number
  window: DiagnosisWindow
  /** The layers that the diagnosis names; several were not separable. */
  named: readonly Layer[]
  /** Whether anything is known of the window. */
  hasData: boolean
}

/** A datastore's hosts stand beside it, in a table of their own. */
export function ContributorsCard({ kind, id, window, named, hasData }: ContributorsCardProps) {
  const [layer, choose] = useContributedLayer(named)
  const { zone } = usePreferences()
  const minute = useCursorMinute()
  const query = useQuery(contributorsQuery(kind, id, layer, minute ?? window))
  const when = minute === null ? undefined : contributorsCopy.atCursor(formatClock(minute.from_ms, zone))
  return (
    <Card title={contributorsCopy.title} hint={when} actions={<LayerSwitch layer={layer} onChoose={choose} />} flush>
      <DataState query={query} skeleton={<CardSkeleton height={200} />}>
        {({ ios: whole_ios, non_vm_iops, ...found }) =>
          found.vms.length + found.hosts.length === 0 ? (
            <Nobody hasData={hasData || minute !== null} layer={layer} />
          ) : (
            <div className="fitted start" style={leastWidth(440)}>
              {kind !== 'vms' && found.vms.length > 0 && (
                <Ranking
                  {...{ noun: 'VM', rows: found.vms, total: found.vms_total, layers: [layer], whole_ios }}
                  all_ios={found.vms_ios}
                  rest_ios={found.vms_rest_ios}
                  others={partOf(non_vm_iops ?? 0, found.vms)}
                />
              )}
              {kind !== 'hosts' && kind !== 'datastores' && found.hosts.length > 0 && (
                <Ranking
                  {...{ noun: 'host', rows: found.hosts, total: found.hosts_total, layers: [layer], whole_ios }}
                  all_ios={found.hosts_ios}
                  rest_ios={found.hosts_rest_ios}
                />
              )}
              {non_vm_iops !== null && non_vm_iops >= 1 && (
                <p className="quiet inset across">
                  {formatIops(Math.round(non_vm_iops))} {contributorsCopy.nonVm}
                </p>
              )}
            </div>
          )
        }
      </DataState>
    </Card>
  )
}

/** Which part of all I/Os these are beside those of the VMs. */
function partOf(iops: number, vms: readonly Contributor[]): number {
  const all = vms.reduce((sum, one) => sum + one.iops, iops)
  return all > 0 ? iops / all : 0
}

/** No data is not the same as no time. */
export function Nobody({ hasData, layer }: { hasData: boolean; layer: Layer }) {
  if (!hasData) return <NoNumbers title="" state="no_data" />
  return <EmptyState title={contributorsCopy.none} text={contributorsCopy.noneText(layerWord(layer))} />
}

function LayerSwitch({
  layer,
  onChoose,
}: {
  layer: Layer
  onChoose: (layer: string, options: { replace: boolean }) => void
}) {
  return (
    <Segments
      label={contributorsCopy.layerSwitch}
      options={LAYERS.map((one) => ({ value: one, label: layerWord(one) }))}
      chosen={layer}
      onChoose={(one) => onChoose(one, { replace: true })}
    />
  )
}

interface RankingProps {
  noun: 'VM' | 'host'
  rows: readonly Contributor[]
  total: number
  layers: readonly LayerId[]
  /** I/Os inside the layer: of the thing itself, of all in the list (also those not shown), and what is of none of them. */
  whole_ios: number | null
  all_ios: number
  rest_ios: number | null
  /** Part of the I/Os that are of none in the list. */
  others?: number
}

/** What nobody in the list has of the thing's time. */
interface Rest {
  subject: null
  label: string
  ios: number
  time_share: number | null
}
type Row = Contributor | Rest

/** As many as answer who it is; the others on request. */
const FIRST = 5

const ROW_PX = 34
/** Less is rounding: every number of the list is told to a percent at best. */
const WORTH_A_ROW = 0.005

function restRow(noun: string, whole_ios: number | null, rest_ios: number | null): Rest | null {
  if (whole_ios === null || rest_ios === null || rest_ios <= WORTH_A_ROW * whole_ios) return null
  return { subject: null, label: contributorsCopy.unassigned(noun), ios: rest_ios, time_share: rest_ios / whole_ios }
}

/** A zero that only means "less than the counters can tell" is told by its bound. */
function perIo({ us, upper_ios, iops, is_merged }: Contributor): { us: number | null; isBound: boolean } {
  if (us === 0 && upper_ios > 0 && iops > 0) return { us: (upper_ios / iops) * 1e6, isBound: true }
  return { us, isBound: is_merged && us !== null }
}

/** Counters say no more than that its part is under a bound. */
const isBoundOnly = ({ us, upper_ios }: Contributor) => us === 0 && upper_ios > 0

/** A bound from there on says nothing: it may be the largest part, or none. */
const SAYS_NOTHING = 0.495

/** So is its share, where that says something. */
function shareWords(one: Row): string {
  const number = shareNumber(one)
  if (number !== null || one.subject === null) return number ?? ''
  return one.us !== null && isBoundOnly(one) ? contributorsCopy.unknown : '–'
}

/** Null where it is not known. */
export function shareNumber(one: Row): string | null {
  if (one.subject === null) return shareText(one.time_share) || null
  if (one.us === null) return null
  if (!isBoundOnly(one)) return shareText(one.time_share) || null
  const most = one.share_upper ?? 1
  if (most >= SAYS_NOTHING) return null
  return most < 0.01 ? shareText(most) : `≤ ${shareText(most)}`
}

/** "34 % of the latency", where the bar has no room. */
function sharePart(one: Row): string {
  const number = shareNumber(one)
  return number === null ? contributorsCopy.shareUnknown : contributorsCopy.shareOfTime(number)
}

const whose = (one: Row) =>
  one.subject === null ? <span className="muted">{one.label}</span> : <EntityLink to={one.subject} />

/** Counters of disks and of devices may differ by so much before it is worth a word. */
const WORTH_A_WORD = 0.05

/** Why shares do not add up to all of it, where no other I/Os are the reason. */
function OwnNumbers({
  noun,
  whole_ios,
  all_ios,
  others,
}: Required<Pick<RankingProps, 'noun' | 'whole_ios' | 'all_ios' | 'others'>>) {
  if (whole_ios === null || whole_ios === 0 || ios(all_ios) === ios(whole_ios)) return null
  const missing = 1 - all_ios / whole_ios
  if (missing < WORTH_A_WORD + others && missing > -WORTH_A_WORD) return null
  return (
    <p className="quiet inset">
      {contributorsCopy.sumDiffers(noun, ios(all_ios), ios(whole_ios))}
      {missing < 0 && contributorsCopy.sharesOfSum(noun)}. {contributorsCopy.countersDiffer}
    </p>
  )
}

/** Why shares add up to all of it above rows that may have more inside. */
function BoundOnly({ noun, rows }: Pick<RankingProps, 'noun' | 'rows'>) {
  const count = rows.filter(isBoundOnly).length
  if (count === 0) return null
  return (
    <p className="quiet inset">
      {count < rows.length && contributorsCopy.sharesOfKnown}
      {contributorsCopy.upperBoundOnly(count, plural(rows.length, noun))}
    </p>
  )
}

export function Ranking({ noun, rows, total, layers, whole_ios, all_ios, rest_ios, others = 0 }: RankingProps) {
  const rest = restRow(noun, whole_ios, rest_ios)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, FIRST)
  const listed: readonly Row[] = rest === null ? shown : [...shown, rest]
  const columns = useMemo<Column<Row>[]>(
    () => [
      {
        id: 'name',
        header: noun === 'VM' ? commonCopy.vm : commonCopy.host,
        width: 120,
        minWidth: 96,
        grow: true,
        cell: whose,
      },
      {
        id: 'share',
        header: contributorsCopy.shareBar,
        width: 142,
        minWidth: 112,
        grow: true,
        compact: (one) => sharePart(one),
        cell: (one) => (
          <span className="columns middle gap-8" style={columnWidths('minmax(0, 1fr) 52px')}>
            <LayerBar
              pieces={[{ name: 'share', label: '', layers, size: one.time_share ?? 0 }]}
              max={1}
              words={shareWords(one)}
            />
            <span className="numeric right">{shareWords(one)}</span>
          </span>
        ),
      },
      {
        id: 'ios',
        header: contributorsCopy.outstanding,
        width: 104,
        minWidth: 88,
        align: 'right',
        cell: (one) =>
          one.subject === null ? (
            <span className="numeric">{ios(one.ios)}</span>
          ) : (
            <span className="numeric" title={commonCopy.rangeTitle(ios(one.lower_ios), ios(one.upper_ios))}>
              {one.us === null ? '–' : iosWithin(one)}
            </span>
          ),
      },
      {
        id: 'us',
        header: commonCopy.latency,
        width: 92,
        minWidth: 76,
        align: 'right',
        cell: (one) => {
          if (one.subject === null) return ''
          const { us, isBound } = perIo(one)
          return (
            <span title={one.is_merged ? contributorsCopy.notSeparable : undefined}>
              {isBound && '≤ '}
              <Quantity value={us} unit="µs" />
            </span>
          )
        },
      },
      {
        id: 'iops',
        header: commonCopy.iops,
        width: 84,
        minWidth: 64,
        align: 'right',
        cell: (one) => (one.subject === null ? '' : <Quantity value={one.iops} unit="ops/s" bare />),
      },
    ],
    [noun, layers],
  )
  return (
    <div>
      <VirtualTable
        label={contributorsCopy.tableLabel(noun === 'VM' ? commonCopy.vms : commonCopy.hosts)}
        columns={columns}
        count={listed.length}
        rowAt={(index) => listed[index]}
        rowPx={ROW_PX}
      />
      {rows.length > shown.length && (
        <Button m={8} mt={6} variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          {contributorsCopy.showAll(plural(rows.length, noun))}
        </Button>
      )}
      <BoundOnly noun={noun} rows={rows} />
      <OwnNumbers {...{ noun, whole_ios, all_ios, others }} />
      {total > rows.length && (
        <p className="quiet inset">{contributorsCopy.firstOf(rows.length, plural(total, noun))}</p>
      )}
    </div>
  )
}

/** Past changes of settings of an object, or of all: what a what-if predicts from the minutes before each, and what came after it. */

import { useQuery } from '@tanstack/react-query'
import type { Backtest, TestedChange } from '../../api/types'
import { backtestQuery } from '../../api/whatif'
import * as whatIfCopy from '../../copy/whatif'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { EntityLink } from '../../domain/object/EntityLink'
import { between } from '../../domain/whatif/range'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatMoment, instantMs } from '../../lib/time'
import { formatIops, formatLatency, formatUpTo } from '../../lib/units'
import type { parseObject } from './scenario'

export function BacktestCard({ object }: { object: ReturnType<typeof parseObject> }) {
  const query = useQuery(backtestQuery(object))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={120} />}>
      {(found) => <BacktestList found={found} />}
    </DataState>
  )
}

function BacktestList({ found }: { found: Backtest }) {
  const { zone } = usePreferences()
  return (
    <Card title={whatIfCopy.backtest} hint={whatIfCopy.backtestHint}>
      {found.changes.length === 0 ? (
        <p className="muted">{whatIfCopy.noChanges}</p>
      ) : (
        <>
          <p className="semibold">{scoreText(found.score)}</p>
          <ul className="list stack above gap-10 size-label">
            {found.changes.map((change) => (
              <li key={`${change.read_at} ${change.subject_name} ${change.settings[0]?.name}`}>
                <p className="breaks">
                  <time dateTime={change.read_at}>{formatMoment(instantMs(change.read_at) ?? 0, zone)}</time>{' '}
                  {change.subject === null ? (
                    <span>{visibleName(change.subject_name)}</span>
                  ) : (
                    <EntityLink to={change.subject} />
                  )}
                  {change.queue !== null && (
                    <span className="muted"> {whatIfCopy.onHost(visibleName(change.queue.host.name))}</span>
                  )}
                  : {change.settings.map(settingText).join(', ')}
                </p>
                {change.outcome !== null && <p>{outcomeText(change.outcome)}</p>}
                <p>
                  <strong>{verdictText(change)}</strong>
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

const percent = (part: number, whole: number) => `${formatUpTo((100 * part) / whole, 0)} %`

/** "12 changes with an outcome, 92 % inside the range, median width 1.4 × (10 bounded), direction right in 100 %". */
export function scoreText({ changes, inside, median_width, bounded, directed, right }: Backtest['score']): string {
  if (changes === 0) return whatIfCopy.noOutcomes
  return [
    whatIfCopy.outcomes(changes),
    whatIfCopy.insideShare(percent(inside, changes)),
    ...(median_width === null ? [] : [whatIfCopy.medianWidth(formatUpTo(median_width, 2), bounded)]),
    ...(directed === 0 ? [] : [whatIfCopy.directionShare(percent(right, directed))]),
  ].join(', ')
}

function settingText({ name, before, after }: TestedChange['settings'][number]): string {
  const none = name === 'iops_limit' ? whatIfCopy.noLimit : whatIfCopy.notRead
  const shown = (value: string | null) => (value === null || value === '-1' ? none : visibleName(value))
  return whatIfCopy.setting(whatIfCopy.settingNames[name], shown(before), shown(after))
}

function outcomeText({ latency_us, after_us, iops, after_iops }: NonNullable<TestedChange['outcome']>): string {
  const was = (value: number | null, format: (value: number) => string) => (value === null ? '' : format(value))
  return [
    whatIfCopy.tested(
      whatIfCopy.latency,
      was(latency_us.before, formatLatency),
      between(latency_us.lower, latency_us.upper, formatLatency),
      formatLatency(after_us),
    ),
    whatIfCopy.tested(
      whatIfCopy.iops,
      was(iops.before, formatIops),
      between(iops.lower, iops.upper, formatIops),
      formatIops(after_iops),
    ),
  ].join(' ')
}

export function verdictText({ outcome, reason }: Pick<TestedChange, 'outcome' | 'reason'>): string {
  if (reason !== null || outcome === null) return whatIfCopy.notCounted(visibleName(reason ?? ''))
  return outcome.is_inside ? whatIfCopy.insideRange : whatIfCopy.outsideRange
}

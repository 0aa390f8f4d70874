/** The latency around an alert, from some minutes before it began: over time, and where the time went. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { latencyQuery, waterfallQuery } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import type { AlertDetail } from '../../api/types'
import type { ChartLimit } from '../../charts/limits'
import * as alertsCopy from '../../copy/alerts'
import * as breakdownCopy from '../../copy/breakdown'
import * as overviewCopy from '../../copy/overview'
import { ruleLimits } from '../../domain/alerts/ruleLimits'
import { useHappened } from '../../domain/breakdown/useHappened'
import { NO_DIAGNOSIS } from '../../domain/diagnosis/noDiagnosis'
import { kindOfSubject } from '../../domain/kinds'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import type { Range } from '../../lib/range'
import { formatWindow } from '../../lib/time'
import { useRange } from '../../lib/url'
import { ownWindow, windowOf } from './story'
import { useRuleOf } from './useRuleOf'

const LatencyChart = lazy(async () => ({
  default: (await import('../../domain/breakdown/LatencyChart')).LatencyChart,
}))
const WaterfallChart = lazy(async () => ({
  default: (await import('../../domain/breakdown/WaterfallChart')).WaterfallChart,
}))

export function AlertCharts({ alert }: { alert: AlertDetail }) {
  const [range] = useRange()
  const now_ms = serverNow()
  const window = chosen(range, windowOf(alert, now_ms))
  const kind = kindOfSubject(alert.subject.kind)?.id
  const { rule } = useRuleOf(alert)
  const limits = useMemo(() => ruleLimits(rule?.when ?? []), [rule])
  if (kind === undefined)
    return (
      <Card title={breakdownCopy.latencyOverTime}>
        <EmptyState title={alertsCopy.noLatency} text={alertsCopy.noLatencyText(alert.subject.kind)} />
      </Card>
    )
  const about = { kind, id: alert.subject.id, name: alert.subject.name, named: alert.layer, window }
  return (
    <>
      <OverTime {...about} limits={limits} />
      {/* Quiet minutes around it would be averaged in. */}
      <WhereItWent {...about} window={chosen(range, ownWindow(alert, now_ms))} />
    </>
  )
}

/** The window that was dragged or linked to, where it shows something of the alert; else the alert's own. */
function chosen(range: Range, own: Extract<Range, { kind: 'fixed' }>): Range {
  return range.kind === 'fixed' && range.from_ms < own.to_ms && range.to_ms > own.from_ms ? range : own
}

interface PartProps {
  kind: EntityKind
  id: number
  name: string
  named: string | null
  window: Range
}

const NO_MINUTES = <EmptyState title={overviewCopy.notAnalyzed} text={NO_DIAGNOSIS.no_data} />

function OverTime({ kind, id, name, named, window, limits }: PartProps & { limits: readonly ChartLimit[] }) {
  const query = useQuery(latencyQuery(kind, id, window))
  const happened = useHappened(kind, id, name, window)
  return (
    <DataState query={query} skeleton={<Skeleton height={1000} />}>
      {(latency) =>
        latency.minutes === 0 ? (
          <Card title={breakdownCopy.latencyOverTime}>{NO_MINUTES}</Card>
        ) : (
          <Suspense fallback={<Skeleton height={1000} aria-busy="true" />}>
            <LatencyChart {...{ name, latency, named, limits }} {...happened} />
          </Suspense>
        )
      }
    </DataState>
  )
}

function WhereItWent({ kind, id, name, named, window }: PartProps) {
  const { zone } = usePreferences()
  const query = useQuery(waterfallQuery(kind, id, window))
  return (
    <DataState query={query} skeleton={<Skeleton height={470} />}>
      {(waterfall) => {
        const state = waterfall.directions.find(({ direction }) => direction === 'all')?.state ?? 'no_data'
        if (state === 'judged' || state === 'too_few')
          return (
            <Suspense fallback={<Skeleton height={470} aria-busy="true" />}>
              <WaterfallChart
                name={name}
                waterfall={waterfall}
                named={named}
                hint={formatWindow(Date.parse(waterfall.from_at), Date.parse(waterfall.to_at), zone)}
              />
            </Suspense>
          )
        return <Card title={breakdownCopy.title}>{NO_MINUTES}</Card>
      }}
    </DataState>
  )
}

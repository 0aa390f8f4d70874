/** The environment's I/Os over the window by layer; the minute under the cursor is the one that the ranking shows. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { environmentLatencyQuery } from '../../api/diagnoses'
import type { EnvironmentLatency } from '../../api/types'
import { environmentLegend, environmentPanels } from '../../charts/environment'
import type { ChartEvent } from '../../charts/events'
import { numbersOfPanels, withEvents } from '../../charts/numbers'
import type { GapBand } from '../../charts/panels'
import * as breakdownCopy from '../../copy/breakdown'
import * as overviewCopy from '../../copy/overview'
import { useAlertEvents } from '../../domain/alerts/useAlertEvents'
import { NO_DIAGNOSIS } from '../../domain/diagnosis/noDiagnosis'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { useHiddenLines } from '../../kit/chart/timeChart'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { useTrend } from '../../lib/url'
import { OverTimeChart } from './OverTimeChart'
import { useEnvironmentGaps } from './useEnvironmentGaps'

const WORDS = {
  csv: overviewCopy.overTimeCsv,
  spoken: overviewCopy.overTimeSpoken,
  table: overviewCopy.overTimeTable,
}

export function EnvironmentOverTime() {
  const range = useTrend()
  const query = useQuery(environmentLatencyQuery(range))
  const events = useAlertEvents(range, null)
  const gaps = useEnvironmentGaps(range)
  return (
    <DataState query={query} skeleton={<CardSkeleton height={330} />}>
      {(latency) =>
        latency.minutes === 0 ? (
          <Card title={overviewCopy.overTime}>
            <EmptyState title={overviewCopy.notAnalyzed} text={NO_DIAGNOSIS.no_data} />
          </Card>
        ) : (
          <EnvironmentChart latency={latency} events={events} gaps={gaps} />
        )
      }
    </DataState>
  )
}

interface EnvironmentChartProps {
  latency: EnvironmentLatency
  events: readonly ChartEvent[]
  gaps: readonly GapBand[]
}

function EnvironmentChart({ latency, events, gaps }: EnvironmentChartProps) {
  const hidden = useHiddenLines()
  const legend = useMemo(() => environmentLegend(latency), [latency])
  const panels = useMemo(() => environmentPanels(latency, { hidden, gaps }), [latency, hidden, gaps])
  const numbers = useMemo(
    () => withEvents(numbersOfPanels(latency.times_ms, panels, breakdownCopy.fromDiagnosis), latency.step_s, events),
    [latency, panels, events],
  )
  return (
    <OverTimeChart words={WORDS} over={latency} panels={panels} legend={legend} numbers={numbers} events={events} />
  )
}

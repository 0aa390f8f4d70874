/** The environment's I/Os over the window by layer; the minute under the cursor is the one that the ranking shows. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { environmentLatencyQuery } from '../../api/diagnoses'
import type { EnvironmentLatency } from '../../api/types'
import { environmentLegend, environmentPanels } from '../../charts/environment'
import type { ChartEvent } from '../../charts/events'
import { numbersCsv, numbersOfPanels, withEvents } from '../../charts/numbers'
import type { GapBand } from '../../charts/panels'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import * as breakdownCopy from '../../copy/breakdown'
import * as chartsCopy from '../../copy/charts'
import * as overviewCopy from '../../copy/overview'
import { useAlertEvents } from '../../domain/alerts/useAlertEvents'
import { NO_DIAGNOSIS } from '../../domain/diagnosis/noDiagnosis'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { Chart } from '../../kit/chart/Chart'
import { Legend } from '../../kit/chart/Legend'
import { drawnWords } from '../../kit/chart/lineWords'
import { NumbersView } from '../../kit/chart/NumbersView'
import { useBrush, useHiddenLines, useTimeCursor } from '../../kit/chart/timeChart'
import { useTokens } from '../../kit/chart/useTokens'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow } from '../../lib/time'
import { useTrend } from '../../lib/url'
import { useEnvironmentGaps } from './useEnvironmentGaps'

const LABEL = overviewCopy.overTimeSpoken

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
  const { zone } = usePreferences()
  const tokens = useTokens()
  const onBrush = useBrush()
  const hidden = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const legend = useMemo(() => environmentLegend(latency), [latency])
  const panels = useMemo(() => environmentPanels(latency, { hidden, gaps }), [latency, hidden, gaps])
  const numbers = useMemo(
    () => withEvents(numbersOfPanels(latency.times_ms, panels, breakdownCopy.fromDiagnosis), latency.step_s, events),
    [latency, panels, events],
  )
  const [from_ms, to_ms] = [Date.parse(latency.from_at), Date.parse(latency.to_at)]
  const { times_ms, step_s } = latency
  const cursor = useTimeCursor({ panels, times_ms, step_s, events })
  const option = useMemo(
    () =>
      timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, events, zone, tokens, label: LABEL, fill: true }),
    [times_ms, step_s, events, from_ms, to_ms, panels, zone, tokens],
  )
  return (
    <Chart
      title={overviewCopy.overTime}
      exportTitle={overviewCopy.overTimeCsv}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={overviewCopy.perPoint(formatSeconds(latency.step_s), canDrag ? chartsCopy.dragToZoom : '')}
      label={LABEL}
      option={option}
      height={timePanelsHeight(panels)}
      fill
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label={overviewCopy.overTimeTable} />}
      legend={<Legend lines={legend} />}
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
      onBrush={onBrush}
    />
  )
}

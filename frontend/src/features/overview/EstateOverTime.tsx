/** The estate's I/Os over the window by layer; the minute under the cursor is the one that the ranking shows. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { EstateLatency } from '../../api/types'
import { estateLatencyQuery } from '../../api/verdicts'
import { estateLegend, estatePanels } from '../../charts/estate'
import type { ChartEvent } from '../../charts/events'
import { numbersCsv, numbersOfPanels, withEvents } from '../../charts/numbers'
import type { GapBand } from '../../charts/panels'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import { useAlertEvents } from '../../components/alerts/useAlertEvents'
import { Card } from '../../components/Card'
import { Chart } from '../../components/chart/Chart'
import { Legend } from '../../components/chart/Legend'
import { drawnWords } from '../../components/chart/lineWords'
import { NumbersView } from '../../components/chart/NumbersView'
import { useBrush, useHiddenLines, useTimeCursor } from '../../components/chart/timeChart'
import { useTokens } from '../../components/chart/useTokens'
import { DataState, EmptyState } from '../../components/DataState'
import { NO_VERDICT } from '../../components/verdict/certainty'
import { CardSkeleton } from '../../components/verdict/Skeletons'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow } from '../../lib/time'
import { useRange } from '../../lib/url'
import { useEstateGaps } from './useEstateGaps'

const LABEL = 'I/Os inside each layer over time, of the whole estate; the ranking follows the cursor'

export function EstateOverTime() {
  const [range] = useRange()
  const query = useQuery(estateLatencyQuery(range))
  const events = useAlertEvents(range, null)
  const gaps = useEstateGaps(range)
  return (
    <DataState query={query} skeleton={<CardSkeleton height={330} />}>
      {(latency) =>
        latency.minutes === 0 ? (
          <Card title="The estate over time">
            <EmptyState title="No minute of this window is attributed" text={NO_VERDICT.no_data} />
          </Card>
        ) : (
          <EstateChart latency={latency} events={events} gaps={gaps} />
        )
      }
    </DataState>
  )
}

interface EstateChartProps {
  latency: EstateLatency
  events: readonly ChartEvent[]
  gaps: readonly GapBand[]
}

function EstateChart({ latency, events, gaps }: EstateChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const onBrush = useBrush()
  const hidden = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const legend = useMemo(() => estateLegend(latency), [latency])
  const panels = useMemo(() => estatePanels(latency, { hidden, gaps }), [latency, hidden, gaps])
  const numbers = useMemo(
    () => withEvents(numbersOfPanels(latency.times_ms, panels, 'attributed by Gavel'), latency.step_s, events),
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
      title="The estate over time"
      exportTitle="I/Os of the estate by layer"
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={`one point per ${formatSeconds(latency.step_s)}${canDrag ? ' · drag to zoom' : ''}`}
      label={LABEL}
      option={option}
      height={timePanelsHeight(panels)}
      fill
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label="Numbers of the estate over time" />}
      legend={<Legend lines={legend} />}
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
      onBrush={onBrush}
    />
  )
}

/** Panels over the page's time range, whose cursor the ranking follows. */

import { type ReactNode, useMemo } from 'react'
import type { ChartEvent } from '../../charts/events'
import { type NumbersTable, numbersCsv } from '../../charts/numbers'
import type { Panel, PanelLine } from '../../charts/panels'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import * as chartsCopy from '../../copy/charts'
import * as overviewCopy from '../../copy/overview'
import { Chart } from '../../kit/chart/Chart'
import { Legend } from '../../kit/chart/Legend'
import { drawnWords } from '../../kit/chart/lineWords'
import { NumbersView } from '../../kit/chart/NumbersView'
import { useBrush, useHiddenLines, useTimeCursor } from '../../kit/chart/timeChart'
import { useTokens } from '../../kit/chart/useTokens'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow } from '../../lib/time'

interface OverTimeChartProps {
  /** In words: of exported files, of the picture for those who hear it, and of its table. */
  words: { csv: string; spoken: string; table: string }
  over: { from_at: string; to_at: string; times_ms: number[]; step_s: number }
  panels: Panel[]
  legend: PanelLine[]
  numbers: NumbersTable
  events: readonly ChartEvent[]
  /** What the picture leaves out. */
  note?: ReactNode
}

export function OverTimeChart({ words, over, panels, legend, numbers, events, note }: OverTimeChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const onBrush = useBrush()
  const hidden = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const { times_ms, step_s } = over
  const [from_ms, to_ms] = [Date.parse(over.from_at), Date.parse(over.to_at)]
  const label = words.spoken
  const cursor = useTimeCursor({ panels, times_ms, step_s, events })
  const option = useMemo(
    () => timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, events, zone, tokens, label, fill: true }),
    [times_ms, step_s, events, from_ms, to_ms, panels, zone, tokens, label],
  )
  return (
    <Chart
      title={overviewCopy.overTime}
      exportTitle={words.csv}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={overviewCopy.perPoint(formatSeconds(step_s), canDrag ? chartsCopy.dragToZoom : '')}
      label={label}
      option={option}
      height={timePanelsHeight(panels)}
      fill
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label={words.table} />}
      legend={
        <>
          <Legend lines={legend} />
          {note}
        </>
      }
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
      onBrush={onBrush}
    />
  )
}

/** A load tool's latency over time beside the layers of the same minutes, with its numbers as a table. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Tied, testRunLatencyQuery } from '../../api/testRuns'
import type { TestRun, TestRunLatency } from '../../api/types'
import { numbersCsv, numbersOfPanels } from '../../charts/numbers'
import { runGrid, runLegend, runPanels } from '../../charts/runLatency'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import * as testRunsCopy from '../../copy/testRuns'
import { Chart } from '../../kit/chart/Chart'
import { Legend } from '../../kit/chart/Legend'
import { drawnWords } from '../../kit/chart/lineWords'
import { NumbersView } from '../../kit/chart/NumbersView'
import { useHiddenLines, useTimeCursor } from '../../kit/chart/timeChart'
import { useTokens } from '../../kit/chart/useTokens'
import { DataState } from '../../kit/state/DataState'
import { atLeast } from '../../lib/breakpoints'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow } from '../../lib/time'
import { CardSkeleton } from '../diagnosis/Skeletons'

interface RunLatencyCardProps {
  to: Tied
  run: TestRun['run']
}

export function RunLatencyCard({ to, run }: RunLatencyCardProps) {
  const query = useQuery(testRunLatencyQuery(to, run.id))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={420} />}>
      {(latency) => <RunLatencyChart to={to} run={run} latency={latency} />}
    </DataState>
  )
}

const NO_EVENTS = [] as const

interface RunLatencyChartProps extends RunLatencyCardProps {
  latency: TestRunLatency
}

export function RunLatencyChart({ to, run, latency }: RunLatencyChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const hidden = useHiddenLines()
  const narrow = !useMediaMatch(atLeast('phone'))
  const grid = useMemo(() => runGrid(latency), [latency])
  const legend = useMemo(() => runLegend(latency, grid), [latency, grid])
  const panels = useMemo(() => runPanels(latency, grid, hidden), [latency, grid, hidden])
  const grain = grainText(latency)
  const numbers = useMemo(() => numbersOfPanels(grid.times_ms, panels, grain), [grid, panels, grain])
  const { times_ms, step_s } = grid
  const from_ms = times_ms[0] ?? 0
  const to_ms = (times_ms.at(-1) ?? from_ms) + step_s * 1000
  const name = `${run.name}, ${run.file_name}`
  const label = testRunsCopy.latencyLabel(run.tool, name, testRunsCopy.nouns[to.kind])
  const cursor = useTimeCursor({ panels, times_ms, step_s, events: NO_EVENTS })
  const option = useMemo(
    () =>
      timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, events: NO_EVENTS, zone, tokens, label, narrow }),
    [times_ms, step_s, from_ms, to_ms, panels, zone, tokens, label, narrow],
  )
  return (
    <Chart
      title={testRunsCopy.latencyOverTime}
      exportTitle={testRunsCopy.latencyOf(name)}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={`${name}: ${grain}`}
      label={label}
      option={option}
      height={timePanelsHeight(panels)}
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label={testRunsCopy.latencyNumbers(name, testRunsCopy.nouns[to.kind])} />}
      legend={<Legend lines={legend} />}
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
    />
  )
}

/** How finely each side has its values. */
function grainText({ tool, step_s, series, gavel }: TestRunLatency): string {
  const grain_s = series.find((each) => each.grain_s !== null)?.grain_s ?? null
  const averages = grain_s === null ? null : formatSeconds(grain_s)
  return testRunsCopy.grain(tool, formatSeconds(step_s), averages, formatSeconds(gavel.step_s))
}

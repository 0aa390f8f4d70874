/** The array's and the hosts' own numbers for one object, on one time axis under one cursor. */

import { memo, useMemo } from 'react'
import type { ChartEvent } from '../../charts/events'
import { numbersCsv, numbersOf, withEvents } from '../../charts/numbers'
import { legendOf, panelsOf } from '../../charts/panels'
import { levelLabel, type SeriesData, type SeriesGroup } from '../../charts/series'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import * as chartsCopy from '../../copy/charts'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import { Chart } from '../../kit/chart/Chart'
import { Legend } from '../../kit/chart/Legend'
import { drawnWords } from '../../kit/chart/lineWords'
import { NumbersView } from '../../kit/chart/NumbersView'
import { useBrush, useHiddenLines, useTimeCursor } from '../../kit/chart/timeChart'
import { useTokens } from '../../kit/chart/useTokens'
import { atLeast } from '../../lib/breakpoints'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow } from '../../lib/time'

interface BothSidesChartProps {
  title?: string
  /** Name of the object. */
  name: string
  series: SeriesData
  groups: readonly SeriesGroup[]
  /** What happened in the window, and the alerts of it. */
  events: readonly ChartEvent[]
}

export const BothSidesChart = memo(function BothSidesChart({
  title = countersCopy.latencyByBoundary,
  name,
  series,
  groups,
  events,
}: BothSidesChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const onBrush = useBrush()
  const hidden = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const narrow = !useMediaMatch(atLeast('phone'))
  const legend = useMemo(() => legendOf(series, groups), [series, groups])
  const numbers = useMemo(() => withEvents(numbersOf(series, groups), series.step_s, events), [series, groups, events])
  const panels = useMemo(() => panelsOf(series, groups, hidden), [series, groups, hidden])
  const from_ms = Date.parse(series.from_at)
  const to_ms = Date.parse(series.to_at)
  const label = describe(name, groups)

  const { times_ms, step_s } = series
  const cursor = useTimeCursor({ panels, times_ms, step_s, events })
  const option = useMemo(
    () => timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, events, zone, tokens, label, narrow }),
    [times_ms, step_s, events, from_ms, to_ms, panels, zone, tokens, label, narrow],
  )

  return (
    <Chart
      title={title}
      exportTitle={countersCopy.exportTitle(name)}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={countersCopy.perPoint(
        formatSeconds(series.step_s),
        series.resolution === 'raw' ? '' : countersCopy.fromRollups(series.resolution),
        canDrag ? chartsCopy.dragToZoom : '',
      )}
      label={label}
      option={option}
      height={timePanelsHeight(panels)}
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label={countersCopy.numbersLabel(name)} />}
      legend={<Legend lines={legend} />}
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
      onBrush={onBrush}
    />
  )
})

function describe(name: string, groups: readonly SeriesGroup[]): string {
  const sides = [...new Set(groups.map((group) => levelLabel(group.level).toLowerCase()))]
  return countersCopy.pictureLabel(name, sides.join(', ') || commonCopy.none)
}

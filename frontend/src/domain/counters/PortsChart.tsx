/** What the target ports of an array send and receive over time, against what their links carry. */

import { memo, useMemo } from 'react'
import type { ArrayTraffic } from '../../api/types'
import type { ChartEvent } from '../../charts/events'
import { numbersCsv, withEvents } from '../../charts/numbers'
import { type GapBand, gapBands } from '../../charts/panels'
import { drawnPorts, portLegend, portNumbers, portPanels } from '../../charts/ports'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import * as chartsCopy from '../../copy/charts'
import * as countersCopy from '../../copy/counters'
import * as trafficCopy from '../../copy/traffic'
import { Chart } from '../../kit/chart/Chart'
import { Legend } from '../../kit/chart/Legend'
import { drawnWords } from '../../kit/chart/lineWords'
import { NumbersView } from '../../kit/chart/NumbersView'
import { useBrush, useHiddenLines, useTimeCursor } from '../../kit/chart/timeChart'
import { useTokens } from '../../kit/chart/useTokens'
import { atLeast } from '../../lib/breakpoints'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatAge, formatSeconds, formatWindow } from '../../lib/time'

interface PortsChartProps {
  /** Name of the array. */
  name: string
  traffic: ArrayTraffic
  events: readonly ChartEvent[]
}

export const PortsChart = memo(function PortsChart({ name, traffic, events }: PortsChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const onBrush = useBrush()
  const hidden = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const narrow = !useMediaMatch(atLeast('phone'))
  const { times_ms, step_s } = traffic
  const from_ms = Date.parse(traffic.from_at)
  const to_ms = Date.parse(traffic.to_at)
  const drawn = useMemo(() => drawnPorts(traffic.ports), [traffic])
  const panels = useMemo(() => portPanels(drawn, missingOf(traffic), hidden), [drawn, traffic, hidden])
  const legend = useMemo(() => portLegend(drawn), [drawn])
  const source = traffic.groups[0]?.sources[0]?.name ?? name
  const numbers = useMemo(
    () => withEvents(portNumbers(times_ms, traffic.ports, source), step_s, events),
    [times_ms, step_s, traffic, source, events],
  )
  const label = trafficCopy.pictureLabel(name, drawn.map((port) => port.name).join(', '))
  const cursor = useTimeCursor({ panels, times_ms, step_s, events })
  const option = useMemo(
    () => timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, events, zone, tokens, label, narrow }),
    [times_ms, step_s, events, from_ms, to_ms, panels, zone, tokens, label, narrow],
  )
  return (
    <Chart
      title={trafficCopy.targetPorts}
      exportTitle={trafficCopy.exportTitle(name)}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={[
        ...(drawn.length < traffic.ports.length ? [trafficCopy.busiestPorts(drawn.length, traffic.ports.length)] : []),
        countersCopy.perPoint(formatSeconds(step_s), '', ''),
        `${trafficCopy.keptFor(keptLength(traffic))}${canDrag ? chartsCopy.dragToZoom : ''}`,
      ].join(' · ')}
      label={label}
      option={option}
      height={timePanelsHeight(panels)}
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label={trafficCopy.numbersLabel(name)} />}
      legend={<Legend lines={legend} />}
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
      onBrush={onBrush}
    />
  )
})

/** "48 h", "14 d". */
export const keptLength = ({ ports_keep_s }: Pick<ArrayTraffic, 'ports_keep_s'>) => formatAge(ports_keep_s * 1000)

/** Gaps of ports, and the part of the window before samples are kept. */
function missingOf(traffic: ArrayTraffic): GapBand[] {
  const kept_ms = Date.parse(traffic.ports_kept_from_at)
  const from_ms = Date.parse(traffic.from_at)
  const gaps = gapBands(traffic.gaps.filter(({ stream }) => stream === 'array_port'))
  if (from_ms >= kept_ms) return gaps
  return [{ from_ms, to_ms: kept_ms, side: 'array', text: trafficCopy.notKept(keptLength(traffic)) }, ...gaps]
}

/** Where the time went, over time: reads and writes stacked on one scale, I/O rates, one layer with its bounds. */

import { Group } from '@mantine/core'
import { memo, useMemo } from 'react'
import type { ChartEvent } from '../../charts/events'
import {
  boundedLayers,
  type LatencyData,
  type LayerColumns,
  latencyLegend,
  latencyPanels,
} from '../../charts/latency-stack'
import type { ChartLimit } from '../../charts/limits'
import { numbersCsv, numbersOfPanels, withEvents } from '../../charts/numbers'
import type { GapBand } from '../../charts/panels'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import * as breakdownCopy from '../../copy/breakdown'
import * as chartsCopy from '../../copy/charts'
import * as commonCopy from '../../copy/common'
import { Chart } from '../../kit/chart/Chart'
import { Legend } from '../../kit/chart/Legend'
import { drawnWords } from '../../kit/chart/lineWords'
import { NumbersView } from '../../kit/chart/NumbersView'
import { useBrush, useHiddenLines, useTimeCursor } from '../../kit/chart/timeChart'
import { useTokens } from '../../kit/chart/useTokens'
import { Segments } from '../../kit/form/Segments'
import { atLeast } from '../../lib/breakpoints'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { AtOnce } from '../../lib/search'
import { formatSeconds, formatWindow } from '../../lib/time'
import { useParameter } from '../../lib/url'
import styles from '../diagnosis/Diagnosis.module.css'
import { BOUNDS, STACK } from '../parameters'

interface LatencyChartProps {
  title?: string
  name: string
  latency: LatencyData & { from_at: string; to_at: string }
  /** What happened in the window, and the alerts of it; none while they are being read. */
  events: readonly ChartEvent[]
  gaps: readonly GapBand[]
  /** The layer that the diagnosis names: its bounds are shown first. */
  named: string | null
  /** What I/O rates and latencies are held to; the same array while nothing of it changes. */
  limits?: readonly ChartLimit[]
  /** How long it is, where that is not the page's range. */
  span?: string
  /** Reads and writes alone, without rates, queues and ranges. */
  stacksOnly?: boolean
}

const NO_LIMITS: readonly ChartLimit[] = []

export const LatencyChart = memo(function LatencyChart({
  title = breakdownCopy.latencyOverTime,
  name,
  latency,
  events,
  gaps,
  named,
  limits = NO_LIMITS,
  span = '',
  stacksOnly = false,
}: LatencyChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const onBrush = useBrush()
  const hidden = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const narrow = !useMediaMatch(atLeast('phone'))
  const layers = useMemo(() => boundedLayers(latency), [latency])
  const [bounded] = useBounded(layers, named)
  const [asShare] = useShare()
  const legend = useMemo(
    () => latencyLegend(latency, stacksOnly).filter(({ key }) => !(asShare && key === 'total')),
    [latency, stacksOnly, asShare],
  )
  const panels = useMemo(
    () => latencyPanels(latency, { hidden, gaps, bounded, asShare, limits, stacksOnly }),
    [latency, hidden, gaps, bounded, asShare, limits, stacksOnly],
  )
  const numbers = useMemo(
    () => withEvents(numbersOfPanels(latency.times_ms, panels, breakdownCopy.fromDiagnosis), latency.step_s, events),
    [latency, panels, events],
  )
  const from_ms = Date.parse(latency.from_at)
  const to_ms = Date.parse(latency.to_at)
  const label = breakdownCopy.pictureLabel(name)

  const { times_ms, step_s } = latency
  const cursor = useTimeCursor({ panels, times_ms, step_s, events })
  const option = useMemo(
    () => timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, events, zone, tokens, label, narrow }),
    [times_ms, step_s, events, from_ms, to_ms, panels, zone, tokens, label, narrow],
  )

  return (
    <Chart
      title={title}
      exportTitle={breakdownCopy.exportByLayer(name)}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={breakdownCopy.perPoint(span, formatSeconds(latency.step_s), canDrag ? chartsCopy.dragToZoom : '')}
      label={label}
      option={option}
      height={timePanelsHeight(panels)}
      csv={() => numbersCsv(numbers)}
      table={<NumbersView table={numbers} label={breakdownCopy.numbersByLayer(name)} />}
      legend={
        <div className={stacksOnly ? `${styles.oneLine} flex wrap start between` : undefined}>
          <Legend lines={legend} />
          <Group gap="0 24px">
            <AtOnce>
              <StackSwitch />
              {!stacksOnly && <BoundsSwitch layers={layers} named={named} />}
            </AtOnce>
          </Group>
        </div>
      }
      legendWords={drawnWords(legend, hidden, tokens)}
      shownWindow={{ from_ms, to_ms }}
      cursor={cursor}
      onBrush={onBrush}
    />
  )
})

/** The layer whose bounds are shown: the chosen one, else the one that the diagnosis names. */
function useBounded(layers: readonly LayerColumns[], named: string | null) {
  const [chosen, choose] = useParameter(BOUNDS)
  const wanted = [chosen, named].find((name) => layers.some((one) => one.name === name))
  return [wanted ?? layers[0]?.name ?? null, choose] as const
}

function useShare() {
  const [stack, setStack] = useParameter(STACK)
  return [stack === 'share', setStack] as const
}

/** Milliseconds, or parts of the total: what an I/O costs, or what it is made of. */
function StackSwitch() {
  const [asShare, choose] = useShare()
  return (
    <Group gap={8} pb={4}>
      <span className="muted">{breakdownCopy.unit}</span>
      <Segments
        label={breakdownCopy.stackSwitch}
        options={[
          { value: '', label: commonCopy.ms },
          { value: 'share', label: '100 %' },
        ]}
        chosen={asShare ? 'share' : ''}
        onChoose={(value) => choose(value, { replace: true })}
      />
    </Group>
  )
}

interface BoundsSwitchProps {
  layers: readonly LayerColumns[]
  named: string | null
}

function BoundsSwitch({ layers, named }: BoundsSwitchProps) {
  const [chosen, choose] = useBounded(layers, named)
  if (layers.length === 0) return null
  return (
    <Group gap={8} pb={4}>
      <span className="muted">{breakdownCopy.uncertainty}</span>
      <Segments
        label={breakdownCopy.uncertaintySwitch}
        options={layers.map(({ name, label }) => ({ value: name, label }))}
        chosen={chosen}
        onChoose={(name) => choose(name, { replace: true })}
      />
    </Group>
  )
}

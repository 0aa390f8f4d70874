/** How many I/Os are inside each layer of the path over time: the environment's panel, which the ranking follows. Pure. */

import * as commonCopy from '../copy/common'
import * as overviewCopy from '../copy/overview'
import { latencyScale } from '../lib/units'
import type { LatencyData } from './latency-stack'
import { unexplained } from './missing'
import { type GapBand, gapBands, niceMax, type Panel, type PanelLine, reach } from './panels'
import { layerLook, pathOrder } from './segments'
import type { SeriesData } from './series'

interface EnvironmentView {
  hidden: ReadonlySet<string>
  gaps: readonly GapBand[]
}

/** One panel: reads and writes together, stacked in the order of the path. */
export function environmentPanels(data: LatencyData, { hidden, gaps }: EnvironmentView): Panel[] {
  const lines = environmentLegend(data).filter(({ key }) => !hidden.has(key))
  return [
    {
      id: 'inside',
      title: overviewCopy.outstandingIo,
      hint: overviewCopy.outstandingHint,
      unit: 'I/Os',
      weight: 'tall',
      lines,
      gaps: [...gaps, ...unexplained(data, gaps)],
      max: niceMax(reach(lines)),
      scale: latencyScale(0),
    },
  ]
}

/** Of whole sources: what one host or disk missed is not the environment's. */
export const gapsOfSources = (gaps: SeriesData['gaps']): GapBand[] =>
  gapBands(gaps.filter(({ subject }) => subject === null))

/** Every layer that is anywhere above zero, outermost first, and the total. */
export function environmentLegend(data: LatencyData): PanelLine[] {
  const all = data.directions.find(({ direction }) => direction === 'all')
  if (all === undefined) return []
  const inside = (values: readonly (number | null)[]) =>
    values.map((us, bucket) => {
      const [ops, minutes] = [all.ops[bucket] ?? null, data.minutes_there[bucket] ?? 0]
      return us === null || ops === null || minutes === 0 ? null : (us * ops) / (60e6 * minutes)
    })
  const bands = [...all.layers]
    .sort((a, b) => pathOrder(a.layers) - pathOrder(b.layers))
    .map((layer): PanelLine => ({ ...line(layer.name, layer.label, inside(layer.us)), ...layerLook(layer.layers) }))
  const total = line('total', commonCopy.total, inside(all.total_us))
  return [...bands, { ...total, shape: 'line' as const, color: { ink: 'total' as const }, width: 1.75 }].filter(
    ({ values }) => values.some((value) => value !== null && value > 0),
  )
}

function line(key: string, label: string, values: (number | null)[]): PanelLine {
  return {
    id: `inside.${key}`,
    key,
    row: key,
    label,
    legend: label,
    side: 'host',
    shape: 'band',
    stroke: 'solid',
    color: { ink: 'gap' },
    direction: 'all',
    unit: 'I/Os',
    precision: null,
    values,
  }
}

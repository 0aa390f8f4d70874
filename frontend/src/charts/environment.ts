/** How many I/Os are inside each layer of the path over time: the environment's panel, which the ranking follows. Pure. */

import * as overviewCopy from '../copy/overview'
import { latencyScale } from '../lib/units'
import type { LatencyData } from './latency-stack'
import { unexplained } from './missing'
import { type GapBand, gapBands, niceMax, type Panel, type PanelLine, reach } from './panels'
import { layerLook, pathOrder } from './segments'
import type { SeriesData } from './series'
import { bandLine, totalLine } from './stack'

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
  const stacked = (us: readonly (number | null)[]) =>
    ({ panel: 'inside', direction: 'all', unit: 'I/Os', values: inside(us) }) as const
  const bands = [...all.layers]
    .sort((a, b) => pathOrder(a.layers) - pathOrder(b.layers))
    .map(({ name, label, layers, us }) => bandLine({ ...stacked(us), key: name, label }, layerLook(layers)))
  return [...bands, totalLine(stacked(all.total_us))].filter(({ values }) =>
    values.some((value) => value !== null && value > 0),
  )
}

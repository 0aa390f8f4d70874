/** Missing intervals, drawn as gray hatching from where the data ends to where it begins again. */

import type { CustomSeriesOption } from 'echarts/charts'
import { hatchLines, type Rect } from './hatch'
import type { GapBand, Panel } from './panels'
import type { ChartTokens } from './tokens'

export function gapSeries(panel: Panel, index: number, tokens: ChartTokens): CustomSeriesOption[] {
  const gaps = panel.gaps.filter(({ kind }) => kind !== 'few')
  return stretchSeries(`${index}.gaps`, gaps, index, 1, (rect) => hatched(rect, tokens.ink.gap))
}

/** Buckets with too few I/Os to judge: what is drawn there fades. */
export function veilSeries(panel: Panel, index: number, tokens: ChartTokens): CustomSeriesOption[] {
  const few = panel.gaps.filter(({ kind }) => kind === 'few')
  const veil = (shape: Rect) => ({ type: 'rect' as const, shape, style: { fill: tokens.ink.card, opacity: 0.65 } })
  return stretchSeries(`${index}.few`, few, index, 5, veil)
}

/** None where there is nothing to draw: an empty series costs as much as a full one. */
function stretchSeries(
  id: string,
  gaps: readonly GapBand[],
  index: number,
  z: number,
  draw: (rect: Rect) => ReturnType<NonNullable<CustomSeriesOption['renderItem']>>,
): CustomSeriesOption[] {
  if (gaps.length === 0) return []
  return [
    {
      id,
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      z,
      clip: true,
      encode: { x: [0, 1], y: -1 },
      tooltip: { show: false },
      data: gaps.map((gap) => [gap.from_ms, gap.to_ms]),
      renderItem: (params, api) => {
        const box = params.coordSys as unknown as Rect
        const start = api.coord([api.value(0), 0])[0] ?? box.x
        const end = api.coord([api.value(1), 0])[0] ?? box.x
        const x = Math.max(box.x, start)
        const width = Math.min(box.x + box.width, Math.max(end, start + 2)) - x
        return width <= 0 ? null : draw({ x, y: box.y, width, height: box.height })
      },
    },
  ]
}

function hatched(rect: Rect, color: string) {
  const shade = { type: 'rect' as const, shape: rect, style: { fill: color, opacity: 0.1 } }
  return {
    type: 'group' as const,
    children: [shade, ...hatchLines(rect, color)],
    clipPath: { type: 'rect' as const, shape: rect },
  }
}

/** The gaps that touch a bucket, each once: what the cursor says instead of a number. */
export function gapsAt(panels: readonly Panel[], from_ms: number, to_ms: number): GapBand[] {
  const found = new Map<string, GapBand>()
  for (const gap of panels.flatMap((panel) => panel.gaps)) {
    if (gap.from_ms < to_ms && from_ms < gap.to_ms) found.set(gap.text, gap)
  }
  return [...found.values()]
}

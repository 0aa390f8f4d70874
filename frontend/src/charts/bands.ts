/** Bands that stack from zero up, each drawn over exactly the buckets in which it was measured: a bucket without it is a gap, not a slope to zero. */

import type { CustomSeriesOption } from 'echarts/charts'
import { dotDecal, hatchDecal } from './hatch'
import type { Panel } from './panels'
import { type ChartTokens, colorOf } from './tokens'

/** An unbroken stretch of one band: buckets `first` … `first + bottoms.length − 1`. */
export interface BandRun {
  first: number
  bottoms: number[]
  tops: number[]
}

/** Where each band lies, bottom to top in the order given; null takes no room and breaks its run. */
export function bandRuns(bands: readonly (readonly (number | null)[])[]): BandRun[][] {
  const heights: number[] = []
  return bands.map((values) => {
    const runs: BandRun[] = []
    for (const [index, value] of values.entries()) {
      if (value === null) continue
      const bottom = heights[index] ?? 0
      const last = runs.at(-1)
      const run = last && last.first + last.tops.length === index ? last : { first: index, bottoms: [], tops: [] }
      if (run !== last) runs.push(run)
      run.bottoms.push(bottom)
      run.tops.push(bottom + value)
      heights[index] = bottom + value
    }
    return runs
  })
}

type Corner = [at_ms: number, value: number]

/** A run as corners, from its first bucket's start to its last one's end; values stand in the middle of their buckets. */
export function outline(run: BandRun, times_ms: readonly number[], step_s: number): Corner[] {
  const half_ms = step_s * 500
  const edge = (values: readonly number[]): Corner[] => {
    const middles = values.map((value, offset): Corner => [(times_ms[run.first + offset] ?? 0) + half_ms, value])
    const [first, last] = [middles[0], middles.at(-1)] as [Corner, Corner]
    return [[first[0] - half_ms, first[1]], ...middles, [last[0] + half_ms, last[1]]]
  }
  return [...edge(run.tops), ...edge(run.bottoms).reverse()]
}

interface Grid {
  times_ms: readonly number[]
  step_s: number
  tokens: ChartTokens
}

const decalOf = ({ hatched, dotted }: Panel['lines'][number], { ink }: ChartTokens) =>
  dotted ? dotDecal(ink.card) : hatched ? hatchDecal(ink.card) : null

/** All bands of a panel in one series: it draws a hundred shapes as fast as one, and ten series take as long as ten charts. */
export function bandSeries(panel: Panel, index: number, { times_ms, step_s, tokens }: Grid): CustomSeriesOption[] {
  const bands = panel.lines.filter(({ shape }) => shape === 'band')
  const runs = bandRuns(bands.map(({ values }) => values))
  const stretches = bands.flatMap((band, position) => {
    const fill = colorOf(band, tokens)
    const stroke = 'layer' in band.color ? tokens.edge[band.color.layer] : fill
    const decal = decalOf(band, tokens)
    const style = { fill, stroke, lineWidth: 0.5, ...(decal === null ? {} : { decal: decal as never }) }
    return (runs[position] ?? []).map((run) => ({ style, corners: outline(run, times_ms, step_s) }))
  })
  if (stretches.length === 0) return []
  return [
    {
      id: `${index}.bands`,
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      clip: true,
      z: 2,
      encode: { x: 0, y: 1 },
      tooltip: { show: false },
      data: stretches.map(({ corners }) => corners[0] ?? []),
      renderItem: (params, api) => {
        const { style, corners } = stretches[params.dataIndex] ?? { style: {}, corners: [] }
        // A style of its own each time: the library writes into it.
        return { type: 'polygon', shape: { points: corners.map((corner) => api.coord(corner)) }, style: { ...style } }
      },
    },
  ]
}

/** The room between the bounds of a panel, faint, wherever both are known. */
export function boundsSeries(panel: Panel, index: number, { times_ms, step_s, tokens }: Grid): CustomSeriesOption[] {
  if (panel.bounds === undefined) return []
  const { lower, upper, color } = panel.bounds
  const outlines = boundRuns(lower, upper).map((run) => outline(run, times_ms, step_s))
  const fill = colorOf({ color, shape: 'band' }, tokens)
  return [
    {
      id: `${index}.bounds`,
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      clip: true,
      z: 2,
      encode: { x: 0, y: 1 },
      tooltip: { show: false },
      data: outlines.map((corners) => corners[0] ?? []),
      renderItem: (params, api) => ({
        type: 'polygon',
        shape: { points: (outlines[params.dataIndex] ?? []).map((corner) => api.coord(corner)) },
        style: { fill, opacity: 0.25 },
      }),
    },
  ]
}

function boundRuns(lower: readonly (number | null)[], upper: readonly (number | null)[]): BandRun[] {
  const runs: BandRun[] = []
  for (const [index, bottom] of lower.entries()) {
    const top = upper[index] ?? null
    if (bottom === null || top === null) continue
    const last = runs.at(-1)
    const run = last && last.first + last.tops.length === index ? last : { first: index, bottoms: [], tops: [] }
    if (run !== last) runs.push(run)
    run.bottoms.push(bottom)
    run.tops.push(top)
  }
  return runs
}

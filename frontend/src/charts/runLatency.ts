/** A load tool's latency over the layers of the same minutes, on one grid of times: the finer of both; what is coarser holds its value. Pure. */

import * as commonCopy from '../copy/common'
import * as testRunsCopy from '../copy/testRuns'
import { latencyScale } from '../lib/units'
import type { LatencyColumns, LatencyData } from './latency-stack'
import { unexplained } from './missing'
import { niceMax, type Panel, type PanelLine, reach } from './panels'
import { layerLook, pathOrder } from './segments'
import { bandLine, plainLine } from './stack'

type Values = readonly (number | null)[]

/** One direction of the tool as the API has it, one value per bucket. */
export interface ToolColumns {
  direction: 'read' | 'write' | 'all'
  phase: 'lat' | 'clat' | 'slat'
  grain_s: number | null
  mean_us: Values
  lowest_us: Values | null
  highest_us: Values | null
  max_us: Values
}

export interface RunLatencyData {
  tool: string
  step_s: number
  times_ms: readonly number[]
  series: readonly ToolColumns[]
  gavel: LatencyData & { from_at: string; to_at: string }
}

export interface TimeGrid {
  times_ms: number[]
  step_s: number
}

const DIRECTIONS = ['read', 'write'] as const
const TITLES = { read: commonCopy.read, write: commonCopy.write } as const
const STROKES = { lat: 'solid', clat: 'dashed', slat: 'dotted' } as const
const EMPTY_AXIS_US = 95

/** Of the finer side, over the window of both. */
export function runGrid({ times_ms, step_s, gavel }: RunLatencyData): TimeGrid {
  const finer = step_s <= gavel.step_s ? { times_ms, step_s } : gavel
  const step_ms = finer.step_s * 1000
  const anchor_ms = finer.times_ms[0] ?? Date.parse(gavel.from_at)
  const last_ms = (times_ms.at(-1) ?? anchor_ms) + step_s * 1000
  const from_ms = Math.min(Date.parse(gavel.from_at), times_ms[0] ?? anchor_ms)
  const to_ms = Math.max(Date.parse(gavel.to_at), last_ms)
  const before = Math.ceil((anchor_ms - from_ms) / step_ms)
  const count = Math.ceil((to_ms - anchor_ms) / step_ms) + before
  return {
    times_ms: Array.from({ length: count }, (_, index) => anchor_ms + (index - before) * step_ms),
    step_s: finer.step_s,
  }
}

/** Each bucket of the grid has the value of the one that its middle lies in. */
export function held(values: Values, times_ms: readonly number[], step_s: number, grid: TimeGrid): (number | null)[] {
  const [first_ms] = times_ms
  if (first_ms === undefined) return grid.times_ms.map(() => null)
  return grid.times_ms.map((at_ms) => {
    const index = Math.floor((at_ms + grid.step_s * 500 - first_ms) / (step_s * 1000))
    return values[index] ?? null
  })
}

/** Reads over writes with one scale; below them the slowest I/Os, where the tool logged them. */
export function runPanels(data: RunLatencyData, grid: TimeGrid, hidden: ReadonlySet<string>): Panel[] {
  const stacks = DIRECTIONS.flatMap((direction) => latencyPanel(direction, data, grid, hidden))
  const max = Math.max(0, ...stacks.map((panel) => panel.max)) || EMPTY_AXIS_US
  const drawn = stacks.map((panel) => ({ ...panel, max: niceMax(max), scale: latencyScale(max) }))
  return [...drawn, ...slowestPanel(data, grid, hidden)]
}

/** Every line once, the tool's first. */
export function runLegend(data: RunLatencyData, grid: TimeGrid): PanelLine[] {
  const lines = runPanels(data, grid, new Set()).flatMap((panel) => [...panel.lines].reverse())
  return [...new Map(lines.map((line) => [line.key, line])).values()]
}

const isMeasured = (values: Values) => values.some((value) => value !== null)

const ofDirection = (data: RunLatencyData, direction: 'read' | 'write') =>
  data.series.filter((each) => each.direction === direction)

function latencyPanel(
  direction: 'read' | 'write',
  data: RunLatencyData,
  grid: TimeGrid,
  hidden: ReadonlySet<string>,
): Panel[] {
  const { gavel } = data
  const tool = ofDirection(data, direction)
  const columns = gavel.directions.find((each) => each.direction === direction)
  if (tool.length === 0 && !(columns && isMeasured(columns.total_us))) return []
  const all = [...(columns ? layerLines(columns, gavel, grid) : []), ...toolLines(tool, data, grid)]
  const lines = all.filter(({ key }) => !hidden.has(key))
  const ranged = tool.find((each) => each.phase !== 'slat' && hasRange(each) && !hidden.has(each.phase))
  const bounds = ranged && {
    lower: held(ranged.lowest_us ?? [], data.times_ms, data.step_s, grid),
    upper: held(ranged.highest_us ?? [], data.times_ms, data.step_s, grid),
    color: { ink: 'boundary' } as const,
  }
  const max = Math.max(reach(lines), ...(bounds?.upper ?? []).map((us) => us ?? 0))
  const panel: Panel = {
    id: direction,
    title: TITLES[direction],
    hint: testRunsCopy.panelHint,
    unit: 'µs',
    weight: 'tall',
    lines,
    gaps: unexplained(gavel, []),
    max,
    scale: latencyScale(0),
  }
  return [bounds ? { ...panel, bounds } : panel]
}

const hasRange = ({ lowest_us, highest_us }: ToolColumns) =>
  (highest_us ?? []).some((us, index) => us !== (lowest_us?.[index] ?? null))

/** Outermost first, as in the breakdown, with their total. */
function layerLines(columns: LatencyColumns, gavel: LatencyData, grid: TimeGrid): PanelLine[] {
  const onGrid = (values: Values) => held(values, gavel.times_ms, gavel.step_s, grid)
  const layers = [...columns.layers]
    .filter(({ us }) => isMeasured(us))
    .sort((a, b) => pathOrder(a.layers) - pathOrder(b.layers))
  const stacked = (us: Values) =>
    ({ panel: columns.direction, direction: columns.direction, unit: 'µs', values: onGrid(us) }) as const
  const bands = layers.map((layer) =>
    bandLine({ ...stacked(layer.us), key: layer.name, label: layer.label }, layerLook(layer.layers)),
  )
  if (!isMeasured(columns.total_us)) return bands
  // The tool's own latency is the line that matters here.
  const total = plainLine({ ...stacked(columns.total_us), key: 'total', label: testRunsCopy.totalOfLayers })
  return [...bands, { ...total, isStepped: true, width: 1 }]
}

/** The whole latency where it was logged, on top of its parts. */
function toolLines(tool: readonly ToolColumns[], { tool: name, times_ms, step_s }: RunLatencyData, grid: TimeGrid) {
  return [...tool]
    .reverse()
    .filter(({ mean_us }) => isMeasured(mean_us))
    .map((each): PanelLine => {
      const values = held(each.mean_us, times_ms, step_s, grid)
      const drawn = toolLine(each.phase, testRunsCopy.phases[each.phase](name), each.direction, values)
      return { ...drawn, stroke: STROKES[each.phase], color: { ink: 'total' }, width: each.phase === 'lat' ? 2 : 1.25 }
    })
}

function slowestPanel(data: RunLatencyData, grid: TimeGrid, hidden: ReadonlySet<string>): Panel[] {
  const lines = DIRECTIONS.flatMap((direction) => {
    const logged = ofDirection(data, direction).filter(({ phase, max_us }) => phase !== 'slat' && isMeasured(max_us))
    return logged.slice(0, 1).map(({ max_us }): PanelLine => {
      const values = held(max_us, data.times_ms, data.step_s, grid)
      const drawn = toolLine('slowest', testRunsCopy.slowestOf(data.tool), direction, values)
      return { ...drawn, stroke: direction === 'read' ? 'solid' : 'dashed', color: { ink: 'boundary' } }
    })
  })
  if (lines.length === 0) return []
  const shown = lines.filter(({ key }) => !hidden.has(key))
  const max = niceMax(reach(shown), 2)
  return [
    {
      id: 'slowest',
      title: testRunsCopy.slowestIo,
      hint: testRunsCopy.slowestHint,
      unit: 'µs',
      weight: 'short',
      lines: shown,
      gaps: [],
      max,
      scale: latencyScale(max),
    },
  ]
}

const toolLine = (key: string, label: string, direction: ToolColumns['direction'], values: Values): PanelLine =>
  plainLine({ panel: direction, key, label, direction, unit: 'µs', values })

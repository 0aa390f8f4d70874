/** Where an I/O's time went, over time: the parts of its path stacked, guest at the bottom and array on top, one panel per direction; below them rates, queues and one layer with its bounds. */

import * as breakdownCopy from '../copy/breakdown'
import * as commonCopy from '../copy/common'
import { latencyScale } from '../lib/units'
import { type ChartLimit, limitsOf, type PanelLimit, reachWith } from './limits'
import { stretches, unexplained } from './missing'
import { type GapBand, niceMax, type Panel, type PanelLine, reach } from './panels'
import { type QueueData, queueLegend, queuePanels } from './queues'
import { type LayerId, layerLook, partLook, pathOrder } from './segments'
import { bandLine, plainLine, totalLine } from './stack'

type Values = readonly (number | null)[]

interface PartColumns {
  name: string
  label: string
  layer: string
  layers: readonly LayerId[]
  is_rest: boolean
  us: Values
}

export interface LayerColumns {
  name: string
  label: string
  layers: readonly LayerId[]
  us: Values
  lower_us: Values
  upper_us: Values
}

/** One direction over time as the API tells it, µs per I/O, one value per bucket; null is "not measured". */
export interface LatencyColumns {
  direction: 'read' | 'write' | 'all'
  ops: Values
  total_us: Values
  too_few: readonly boolean[]
  layers: readonly LayerColumns[]
  /** Outermost first; they add up to the total. */
  parts: readonly PartColumns[]
}

export interface LatencyData {
  times_ms: readonly number[]
  step_s: number
  minutes_there: readonly number[]
  directions: readonly LatencyColumns[]
  queues: QueueData
}

const TITLES = { read: commonCopy.read, write: commonCopy.write, all: breakdownCopy.readsAndWrites } as const
const EMPTY_AXIS_US = 95
const STACKED = ['read', 'write'] as const

interface LatencyView {
  hidden: ReadonlySet<string>
  gaps: readonly GapBand[]
  /** The layer whose bounds are shown. */
  bounded: string | null
  /** Parts of the total instead of ms. */
  asShare?: boolean
  limits?: readonly ChartLimit[]
  /** Reads and writes with their rates alone, lower than on a page of their own. */
  stacksOnly?: boolean
}

/** Reads over writes with one scale, so that they compare by eye; then I/O rates, I/Os against what the queues hold, and the bounds of `bounded`. */
export function latencyPanels(
  data: LatencyData,
  { hidden, gaps, bounded, asShare = false, limits = [], stacksOnly = false }: LatencyView,
): Panel[] {
  const missing = [...gaps, ...unexplained(data, gaps)]
  const apart = STACKED.flatMap((name) => data.directions.filter(({ direction }) => direction === name))
  const stacks = apart.map((columns) => limited(stackPanel(columns, data, missing, hidden), limits))
  // Without any latency the axis needs an end all the same.
  const max = Math.max(0, ...stacks.map((panel) => panel.max)) || EMPTY_AXIS_US
  const bounds = boundsPanel(data, bounded, missing, limits)
  const drawn = stacks
    .map((panel) => ({ ...panel, max: niceMax(max), scale: latencyScale(max) }))
    .map((panel, at) => (asShare ? shared(panel, apart[at]?.total_us ?? []) : panel))
  if (stacksOnly) return drawn.map((panel) => ({ ...panel, weight: panel.weight === 'tall' ? 'low' : 'slim' }))
  return [
    ...drawn,
    ratesPanel(data, missing, limitsOf(limits, 'iops')),
    ...queuePanels(data.queues, missing, hidden),
    ...(bounds === null ? [] : [bounds]),
  ]
}

/** A stack under the limits of its total. */
function limited(panel: Panel, limits: readonly ChartLimit[]): Panel {
  const own = panel.id === 'read' || panel.id === 'write' ? limitsOf(limits, panel.id) : []
  return { ...panel, limits: own, max: reachWith(panel.max, own) }
}

/** A stack as parts of its total, which is 100 % wherever it was measured; what is switched off leaves its room empty. */
function shared(panel: Panel, total_us: Values): Panel {
  const ofTotal = (values: Values) =>
    values.map((us, index) => {
      const total = total_us[index] ?? null
      return us === null || total === null || total <= 0 ? null : (100 * us) / total
    })
  const bands = panel.lines.filter(({ shape }) => shape === 'band')
  const lines = bands.map((band): PanelLine => ({ ...band, unit: '%', values: ofTotal(band.values) }))
  const hint = wasMeasured(total_us) ? breakdownCopy.shareOfLatency : panel.hint
  return { ...panel, hint, unit: '%', max: 100, lines, limits: [] }
}

/** Every band that is anywhere above zero, once, outermost first, and the total; then the lines of the queues: for the legend. */
export function latencyLegend(data: LatencyData, stacksOnly = false): PanelLine[] {
  const byKey = new Map<string, PanelLine>()
  // Reads and writes together have every part, in the order of the path.
  const whole = data.directions.filter(({ direction }) => direction === 'all')
  for (const columns of [...whole, ...data.directions])
    for (const line of stackLines(columns))
      if (!byKey.has(line.key) && line.values.some((value) => value !== null && value > 0)) byKey.set(line.key, line)
  const queues = stacksOnly ? [] : queueLegend(data.queues)
  if (queues.length === 0) return [...byKey.values()]
  return [
    ...[...byKey.values()].map((line) => ({ ...line, strip: breakdownCopy.stack })),
    ...queues.map((line) => ({ ...line, strip: breakdownCopy.queues })),
  ]
}

/** Layers that have bounds anywhere in the window, outermost first. */
export function boundedLayers(data: LatencyData): LayerColumns[] {
  const all = data.directions.find(({ direction }) => direction === 'all')
  return [...(all?.layers ?? [])]
    .filter(({ us }) => wasMeasured(us))
    .sort((a, b) => pathOrder(a.layers) - pathOrder(b.layers))
}

function stackPanel(
  columns: LatencyColumns,
  data: LatencyData,
  gaps: readonly GapBand[],
  hidden: ReadonlySet<string>,
): Panel {
  const lines = stackLines(columns).filter((line) => !hidden.has(line.key))
  const isSilent = !wasMeasured(columns.total_us)
  return {
    id: columns.direction,
    title: TITLES[columns.direction],
    hint: isSilent ? breakdownCopy.noIoInWindow : breakdownCopy.latencyHint,
    unit: 'µs',
    weight: isSilent ? 'short' : 'tall',
    lines,
    gaps: [...gaps, ...tooFew(columns, data)],
    max: reach(lines),
    scale: latencyScale(0),
  }
}

function stackLines(columns: LatencyColumns): PanelLine[] {
  const stacked = (values: Values) =>
    ({ panel: columns.direction, direction: columns.direction, unit: 'µs', values }) as const
  const bands = columns.parts
    .filter(({ us }) => wasMeasured(us))
    .map((part) => bandLine({ ...stacked(part.us), key: part.name, label: part.label }, partLook(part)))
  return wasMeasured(columns.total_us) ? [...bands, totalLine(stacked(columns.total_us))] : bands
}

const wasMeasured = (values: Values) => values.some((value) => value !== null)

const STROKES = { read: 'solid', write: 'dashed', all: 'solid' } as const

/** I/Os per second of the minutes that are there. */
function ratesPanel(data: LatencyData, gaps: readonly GapBand[], limits: readonly PanelLimit[]): Panel {
  const lines = STACKED.flatMap((name) => data.directions.filter(({ direction }) => direction === name)).map(
    ({ direction, ops }): PanelLine => {
      const values = ops.map((count, index) => {
        const minutes = data.minutes_there[index] ?? 0
        return count === null || minutes === 0 ? null : count / (60 * minutes)
      })
      const rate = plainLine({
        panel: direction,
        key: 'iops',
        label: commonCopy.iops,
        direction,
        unit: 'ops/s',
        values,
      })
      return { ...rate, stroke: STROKES[direction], color: { ink: 'boundary' } }
    },
  )
  return {
    id: 'iops',
    title: commonCopy.iops,
    hint: breakdownCopy.solidDashed,
    unit: 'ops/s',
    weight: 'short',
    lines,
    gaps: [...gaps],
    limits,
    max: niceMax(reachWith(reach(lines), limits), 2),
    scale: latencyScale(0),
  }
}

/** One layer over reads and writes together, with the bounds between which it certainly lies. */
function boundsPanel(
  data: LatencyData,
  name: string | null,
  gaps: readonly GapBand[],
  all: readonly ChartLimit[],
): Panel | null {
  const layer = boundedLayers(data).find((one) => one.name === name)
  if (layer === undefined) return null
  const { color } = layerLook(layer.layers)
  const lines = [
    ['lower', breakdownCopy.lowerBound(layer.label), layer.lower_us],
    ['upper', breakdownCopy.upperBound(layer.label), layer.upper_us],
    ['estimate', layer.label, layer.us],
  ] as const
  const drawn = lines.map(
    ([key, label, values]): PanelLine => ({
      ...plainLine({ panel: 'all', key: `bounds.${key}`, label, direction: 'all', unit: 'µs', values }),
      width: key === 'estimate' ? 2 : 0.75,
      color,
    }),
  )
  const limits = limitsOf(all, 'bounds', layer.name)
  const max = reachWith(reach(drawn), limits)
  return {
    id: 'bounds',
    title: breakdownCopy.layerRange(layer.label),
    hint: breakdownCopy.layerRangeHint,
    unit: 'µs',
    weight: 'short',
    lines: drawn,
    gaps: [...gaps],
    limits,
    max: niceMax(max, 2),
    scale: latencyScale(max),
    bounds: { lower: layer.lower_us, upper: layer.upper_us, color },
  }
}

/** Buckets with under 30 I/Os, as veils over the stack. */
function tooFew({ too_few, ops }: LatencyColumns, data: LatencyData): GapBand[] {
  const isVeiled = (index: number) => too_few[index] === true && (ops[index] ?? 0) > 0
  return stretches(data, isVeiled, breakdownCopy.tooFewBand, 'few')
}

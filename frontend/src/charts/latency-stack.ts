/** Where an I/O's time went, over time: the nine segments stacked in path order, guest at the bottom, the array on top, one panel per direction. */

import { latencyScale } from '../lib/units'
import { type GapBand, niceMax, type Panel, type PanelLine, reach } from './panels'
import { LAYER_IDS, type LayerId, mergedLabel, pathOrder, SEGMENT_IDS, SEGMENTS, type SegmentId } from './segments'
import type { Side } from './series'
import { type TimePanelsInput, timePanelsHeight, timePanelsOption } from './timePanels'

type Values = readonly (number | null)[]

/** One direction's columns in µs per I/O, one value per bucket; null is "not measured". */
export interface LatencyColumns {
  direction: 'read' | 'write' | 'all'
  segments: Partial<Record<SegmentId, Values>>
  /** Neighbouring layers that could not be told apart: in a bucket either these or their segments have a value. */
  merged: readonly { layers: readonly LayerId[]; values: Values }[]
  /** The outermost measured boundary. */
  total: Values
}

export interface LatencyStackInput extends Omit<TimePanelsInput, 'panels'> {
  directions: readonly LatencyColumns[]
  gaps: readonly GapBand[]
  /** Keys of bands that the viewer switched off. */
  hidden: ReadonlySet<string>
  /** Strips below the stacks, on the same time axis: I/O rate, outstanding I/Os against depth. */
  strips: readonly Panel[]
}

const TITLES = { read: 'Read', write: 'Write', all: 'Reads and writes' } as const
const HINTS = {
  read: 'latency per I/O',
  write: 'latency per I/O',
  all: 'latency per I/O, op-weighted over reads and writes',
} as const

/** The stacks as panels with one scale, so that reads and writes compare by eye; legend and cursor read the same lines. */
export function latencyStackPanels({
  directions,
  gaps,
  hidden,
}: Pick<LatencyStackInput, 'directions' | 'gaps' | 'hidden'>): Panel[] {
  const panels = directions.map((columns): Panel => {
    const lines = [...bandLines(columns), totalLine(columns)].filter((line) => !hidden.has(line.key))
    return {
      id: columns.direction,
      title: TITLES[columns.direction],
      hint: HINTS[columns.direction],
      unit: 'µs',
      weight: 'tall',
      lines,
      gaps: [...gaps],
      max: reach(lines),
      scale: latencyScale(0),
    }
  })
  const max = Math.max(0, ...panels.map((panel) => panel.max))
  return panels.map((panel) => ({ ...panel, max: niceMax(max), scale: latencyScale(max) }))
}

export function latencyStackOption(input: LatencyStackInput) {
  return timePanelsOption({ ...input, panels: [...latencyStackPanels(input), ...input.strips] })
}

export function latencyStackHeight(input: LatencyStackInput): number {
  return timePanelsHeight([...latencyStackPanels(input), ...input.strips])
}

const SIDES: Record<LayerId, Side> = { guest: 'guest', kernel: 'host', san: 'array', array: 'array' }

function bandLines({ direction, segments, merged }: LatencyColumns): PanelLine[] {
  const own = SEGMENT_IDS.flatMap((segment) => {
    const values = segments[segment]
    if (values === undefined || !wasMeasured(values)) return []
    const { label, layer, fill, hatched } = SEGMENTS[segment]
    const line = band(segment, label, SIDES[layer], direction, values)
    return [{ order: pathOrder(segment), line: { ...line, colour: { layer: fill }, hatched } }]
  })
  const unexplained = merged.flatMap(({ layers, values }) => {
    const [outermost] = layers
    if (outermost === undefined || !wasMeasured(values)) return []
    const line = band(layers.join('_'), mergedLabel(layers), SIDES[outermost], direction, values)
    return [{ order: pathOrder(layers) - 0.5, line: { ...line, colour: { ink: 'gap' as const }, hatched: true } }]
  })
  return [...own, ...unexplained].sort((a, b) => a.order - b.order).map(({ line }) => line)
}

const wasMeasured = (values: Values) => values.some((value) => value !== null)

function band(key: string, label: string, side: Side, direction: LatencyColumns['direction'], values: Values) {
  const look = { shape: 'band' as const, stroke: 'solid' as const, unit: 'µs' as const, precision: null }
  return { ...look, id: `${direction}.${key}`, key, row: key, label, legend: label, side, direction, values }
}

function totalLine({ direction, total, segments, merged }: LatencyColumns): PanelLine {
  const outermost = outermostLayer(segments, merged)
  const label = outermost === null ? 'Total' : `Total from ${outermost === 'san' ? 'SAN' : outermost} on`
  const line = band('total', label, 'host', direction, total)
  return { ...line, legend: 'Total', shape: 'line', colour: { ink: 'total' } }
}

/** Where the measured path begins, when that is not the guest: the total leaves out what nobody measured. */
function outermostLayer(segments: LatencyColumns['segments'], merged: LatencyColumns['merged']): LayerId | null {
  const layers = [
    ...SEGMENT_IDS.filter((segment) => wasMeasured(segments[segment] ?? [])).map((segment) => SEGMENTS[segment].layer),
    ...merged.filter(({ values }) => wasMeasured(values)).flatMap(({ layers: [first] }) => first ?? []),
  ]
  const first = LAYER_IDS.find((layer) => layers.includes(layer)) ?? null
  return first === 'guest' ? null : first
}

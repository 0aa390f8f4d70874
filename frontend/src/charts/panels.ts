/** Chooses what is drawn where: the columns of both sides become panels on one time axis, in the order of an I/O's path. */

import * as breakdownCopy from '../copy/breakdown'
import * as commonCopy from '../copy/common'
import * as countersCopy from '../copy/counters'
import * as overviewCopy from '../copy/overview'
import { type ColumnUnit, type LatencyScale, latencyScale } from '../lib/units'
import type { PanelLimit } from './limits'
import {
  isCoarse,
  type Level,
  levelLabel,
  type SeriesColumn,
  type SeriesData,
  type SeriesGroup,
  type Side,
} from './series'
import type { Layer, LineColor } from './tokens'

export interface PanelLine {
  id: string
  /** Lines with the same key are switched on and off together, in all panels. */
  key: string
  /** Lines with the same row stand in one row of the cursor's table, reads beside writes. */
  row: string
  label: string
  /** What the legend calls all lines of this key, and which panels they are in where that differs. */
  legend: string
  strip?: string
  side: Side
  /** Areas stack from zero up; bands too, each only where it was measured itself. */
  shape: 'area' | 'line' | 'band'
  stroke: 'solid' | 'dashed' | 'dotted'
  /** Striped: waiting at a limit, inferred or unexplained. */
  hatched?: boolean
  /** With dots in place of stripes: parts that were not separable. */
  dotted?: boolean
  /** Holds its value until the next one, like a setting. */
  isStepped?: boolean
  /** Line width in px, where it is not the usual one. */
  width?: number
  color: LineColor
  direction: SeriesColumn['direction']
  unit: ColumnUnit
  precision: number | null
  values: readonly (number | null)[]
}

export interface GapBand {
  from_ms: number
  to_ms: number
  text: string
  side: Side
  /** `few`: measured, but too little to judge: veiled instead of hatched. */
  kind?: 'gap' | 'few'
}

export interface Panel {
  id: string
  title: string
  hint: string
  unit: ColumnUnit
  weight: 'tall' | 'medium' | 'low' | 'short' | 'slim'
  lines: PanelLine[]
  gaps: GapBand[]
  /** Upper end of the y axis; equal in read and write panels, so that they can be compared by eye. */
  max: number
  scale: LatencyScale
  /** Lines with words over it. */
  limits?: readonly PanelLimit[]
  /** Something to say at each bucket besides its numbers. */
  notes?: readonly (string | null)[]
  /** A band between two lines, behind them. */
  bounds?: { lower: readonly (number | null)[]; upper: readonly (number | null)[]; color: LineColor }
}

interface Role extends Pick<PanelLine, 'label' | 'shape' | 'stroke' | 'color' | 'hatched' | 'width'> {
  /** Position in the stack from the bottom, or of the line from the back. */
  order: number
}

const area = (label: string, layer: Layer, order: number, hatched = false): Role => ({
  label,
  shape: 'area',
  stroke: 'solid',
  color: { layer },
  hatched,
  order,
})
const line = (label: string, color: LineColor, order: number, stroke: Role['stroke'] = 'solid'): Role => ({
  label,
  shape: 'line',
  stroke,
  color,
  order,
})

// By quantity, bottom to top as the I/O goes: the array's port first, its service on top; the hosts' boundaries are lines over that stack.
const LATENCY_ROLES: Record<string, Role> = {
  san_us: area(countersCopy.sanTime, 'san', 0),
  qos_sched_us: area(countersCopy.qosScheduling, 'array_queue', 1, true),
  qos_us: area(countersCopy.qosRateLimit, 'array_queue', 2, true),
  queue_us: area(countersCopy.arrayQueue, 'array_queue', 3),
  service_us: area(countersCopy.arrayService, 'array_service', 4),
  kavg_us: line(countersCopy.kavgLine, { layer: 'kernel_other' }, 5),
  qavg_us: line(countersCopy.qavgLine, { layer: 'kernel_queue' }, 6),
  davg_us: line(countersCopy.davgLine, { ink: 'boundary' }, 7, 'dashed'),
  gavg_us: line(countersCopy.gavgLine, { ink: 'total' }, 8),
  latency_us: { ...line(countersCopy.virtualDisk, { layer: 'guest' }, 9, 'dotted'), width: 2.5 },
}

const DIRECTION_TITLE = {
  read: commonCopy.read,
  write: commonCopy.write,
  mirrored_write: countersCopy.mirroredWrite,
} as const
type Direction = keyof typeof DIRECTION_TITLE

/** The columns of `groups` as panels; `hidden` holds the keys of lines that the viewer switched off. */
export function panelsOf(series: SeriesData, groups: readonly SeriesGroup[], hidden: ReadonlySet<string>): Panel[] {
  const shown = (line: PanelLine) => !hidden.has(line.key)
  const latency = latencyPanels(groups, shown)
  const panels = [...latency, ...ratePanels(groups, shown)]
  const gaps = gapBands(series.gaps)
  return panels.map((panel) => ({
    ...panel,
    gaps: gaps.filter((gap) => panel.lines.some((one) => one.side === gap.side)),
  }))
}

/** Every line that `panelsOf` could draw, once per key, for the legend. */
export function legendOf(series: SeriesData, groups: readonly SeriesGroup[]): PanelLine[] {
  const byKey = new Map<string, PanelLine>()
  for (const panel of panelsOf(series, groups, new Set())) {
    for (const one of panel.lines) if (!byKey.has(one.key)) byKey.set(one.key, one)
  }
  return [...byKey.values()]
}

function latencyPanels(groups: readonly SeriesGroup[], shown: (line: PanelLine) => boolean): Panel[] {
  const panels = (Object.keys(DIRECTION_TITLE) as Direction[])
    .map((direction) => latencyPanel(direction, groups, shown))
    .filter((panel) => panel !== null)
  const max = Math.max(0, ...panels.map((panel) => panel.max))
  const scale = latencyScale(max)
  return panels.map((panel) => ({ ...panel, max: niceMax(max), scale }))
}

function latencyPanel(
  direction: Direction,
  groups: readonly SeriesGroup[],
  shown: (line: PanelLine) => boolean,
): Panel | null {
  const measured = groups
    .flatMap((group) => latencyLines(direction, group))
    .filter(({ line }) => hasValues(line.values))
    .sort((a, b) => a.order - b.order)
    .map(({ line }) => line)
  if (measured.length === 0) return null
  const drawn = measured.filter(shown)
  return {
    id: direction,
    title: DIRECTION_TITLE[direction],
    hint: countersCopy.latencyMean,
    unit: 'µs',
    weight: 'tall',
    lines: drawn,
    gaps: [],
    max: reach(drawn),
    scale: latencyScale(0),
  }
}

function latencyLines(direction: Direction, group: SeriesGroup): { order: number; line: PanelLine }[] {
  return group.columns.flatMap((column) => {
    const role = column.direction === direction ? LATENCY_ROLES[column.quantity] : undefined
    if (role === undefined) return []
    const key = `${group.level}.${column.quantity}`
    const label = isCoarse(column) ? countersCopy.coarseRole(role.label) : role.label
    return [{ order: role.order, line: panelLine(column, group, { ...role, key, row: key, label, legend: label }) }]
  })
}

const RATE_PANELS = [
  { id: 'iops', title: commonCopy.iops, hint: breakdownCopy.solidDashed, unit: 'ops/s' },
  { id: 'throughput', title: countersCopy.throughput, hint: breakdownCopy.solidDashed, unit: 'bytes/s' },
  { id: 'outstanding', title: overviewCopy.outstandingIo, hint: countersCopy.queueDepthHint, unit: 'I/Os' },
  { id: 'cpu', title: countersCopy.sideCpu, hint: countersCopy.cpuHint, unit: '%' },
] as const

const LEVEL_LAYER: Record<Level, Layer> = {
  array: 'array_service',
  host: 'kernel_queue',
  disk: 'guest',
  guest: 'guest',
  cpu: 'kernel_other',
}

/** Both sides count the same I/Os: where their lines lie on one another, the wider one shows under the narrower. */
const LEVEL_WIDTH: Record<Level, number> = { array: 3.5, host: 2.25, disk: 1.25, guest: 1.25, cpu: 2 }

const RATE_STROKE = { read: 'solid', write: 'dashed', mirrored_write: 'dotted', all: 'solid' } as const

function ratePanels(groups: readonly SeriesGroup[], shown: (line: PanelLine) => boolean): Panel[] {
  return RATE_PANELS.flatMap(({ id, title, hint, unit }) => {
    const lines = groups.flatMap((group) => rateLines(unit, group)).filter((one) => hasValues(one.values))
    if (lines.length === 0) return []
    const drawn = lines.filter(shown)
    const max = unit === '%' ? 100 : niceMax(reach(drawn), 2)
    return [{ id, title, hint, unit, weight: 'short' as const, lines: drawn, gaps: [], max, scale: latencyScale(0) }]
  })
}

function rateLines(unit: ColumnUnit, group: SeriesGroup): PanelLine[] {
  const level = group.level
  return group.columns
    .filter((column) => column.unit === unit && (column.direction !== 'mirrored_write' || hasMore(column.values)))
    .map((column) =>
      panelLine(column, group, {
        key: `${level}.rates`,
        // Reads and writes share one entry of the legend.
        row: `${level}.${column.quantity}`,
        label: unit === '%' ? column.label : `${levelLabel(level)} ${column.quantity_label}`,
        legend: unit === '%' ? levelLabel(level) : countersCopy.levelLabel(levelLabel(level)),
        shape: 'line',
        stroke: column.quantity === 'queue_depth' ? 'dotted' : RATE_STROKE[column.direction ?? 'all'],
        color: { layer: LEVEL_LAYER[level] },
        width: LEVEL_WIDTH[level],
      }),
    )
}

type Look = Pick<PanelLine, 'key' | 'row' | 'label' | 'legend' | 'shape' | 'stroke' | 'color' | 'hatched' | 'width'>

function panelLine(column: SeriesColumn, group: SeriesGroup, look: Look): PanelLine {
  const { key, row, label, legend, shape, stroke, color, hatched = false, width } = look
  const { direction, unit, precision, values } = column
  const id = `${group.level}.${group.entity.kind}.${group.entity.id}.${column.name}`
  const line = { id, key, row, label, legend, side: group.side, shape, stroke, hatched, color }
  return { ...line, direction, unit, precision, values, ...(width === undefined ? {} : { width }) }
}

/** Missing intervals of sources, with their reasons. */
export function gapBands(gaps: SeriesData['gaps']): GapBand[] {
  return gaps.map(gapBand)
}

function gapBand(gap: SeriesData['gaps'][number]): GapBand {
  const state = gap.state === 'pending_backfill' ? countersCopy.backfillPending : ''
  const subject = gap.subject === null ? '' : ` ${gap.subject}`
  return {
    from_ms: Date.parse(gap.from_at),
    to_ms: Date.parse(gap.to_at),
    side: gap.side,
    text: `${gap.source.name}${subject}: ${gap.reason}${state}`,
  }
}

const hasMore = (values: readonly (number | null)[]) => values.some((value) => value !== null && value > 0)

const hasValues = (values: readonly (number | null)[]) => values.some((value) => value !== null)

/** Highest point that will be drawn: the stack's top or the highest line. */
export function reach(lines: readonly PanelLine[]): number {
  const areas = lines.filter((one) => one.shape !== 'line')
  const length = lines[0]?.values.length ?? 0
  let highest = 0
  for (let index = 0; index < length; index++) {
    const stack = areas.reduce((sum, one) => sum + (one.values[index] ?? 0), 0)
    for (const one of lines) if (one.shape === 'line') highest = Math.max(highest, one.values[index] ?? 0)
    highest = Math.max(highest, stack)
  }
  return highest
}

// Ends that divide into three or two even steps without odd decimals.
const ENDS = {
  3: [1.2, 1.5, 1.8, 2.1, 2.4, 3, 3.6, 4.5, 6, 7.5, 9, 12],
  2: [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10, 12],
} as const

/** The axis end for a highest value: a little air, on a number that divides into `steps` even steps. */
export function niceMax(highest: number, steps: 2 | 3 = 3): number {
  if (highest <= 0) return 1
  const wanted = highest * 1.04
  const power = 10 ** Math.floor(Math.log10(wanted))
  const end = ENDS[steps].find((candidate) => candidate * power >= wanted) ?? 12
  return Number((end * power).toPrecision(3))
}

/** Where one I/O's time went in one window: floating bars in path order under their total, with bounds, usual time and share. */

import * as breakdownCopy from '../copy/breakdown'
import * as commonCopy from '../copy/common'
import * as ioPathCopy from '../copy/ioPath'
import * as unitsCopy from '../copy/units'
import {
  formatFixed,
  formatLatency,
  formatLatencyIn,
  type LatencyScale,
  latencyScale,
  NOT_MEASURED,
} from '../lib/units'
import { overText } from './over'
import { niceMax } from './panels'
import { type LayerId, type Look, layerLook, layerWord, partLook, pathOrder } from './segments'
import type { LineColor } from './tokens'

export interface WaterfallLayer {
  name: string
  label: string
  layers: readonly LayerId[]
  us: number
  lower_us: number
  upper_us: number
  baseline_us: number
  excess_us: number
  excess_lower_us: number
  share: number | null
  /** Part of the I/Os whose time here was measured. */
  ops_share?: number
  /** What the array's own counters say of it. */
  counted_us?: number | null
}

export interface WaterfallPart {
  name: string
  label: string
  layer: string
  layers: readonly LayerId[]
  is_rest: boolean
  us: number
  share: number | null
  counted_us?: number | null
}

/** One direction of a window, as the API tells it: layers outermost first, parts that add up to the total. */
export interface WaterfallColumn {
  direction: 'read' | 'write' | 'all'
  state: 'judged' | 'too_few' | 'idle' | 'not_measured' | 'no_data'
  total_us: number | null
  baseline_us: number | null
  layers: readonly WaterfallLayer[]
  parts: readonly WaterfallPart[]
  not_measured: readonly LayerId[]
}

interface Piece extends Look {
  start_us: number
  end_us: number
}

/** One row ready to draw; positions are µs from the start of the I/O. */
export interface WaterfallRow {
  /** The same thing in another column has the same key. */
  key: string
  kind: 'total' | 'layer' | 'part' | 'contradiction'
  /** The layer it is or belongs to; empty for the total. */
  layer: string
  label: string
  color: LineColor | null
  start_us: number
  end_us: number
  /** Bounds of the row's end; null where there are none. */
  lower_us: number | null
  upper_us: number | null
  /** Where the usual time of this hour would end. */
  baseline_us: number | null
  value: string
  /** The array's own number of the same; empty where there is none. */
  counted: string
  share: string
  /** "▲ +0.40 ms", "+0.40 ms ?": above baseline, surely or perhaps. */
  excess: string
  /** True when even the lower bound is above baseline. */
  isOver: boolean
  /** What fills the bar, left to right: one piece, or several. */
  pieces: Piece[]
}

export const COLUMN_TITLES = {
  read: commonCopy.read,
  write: commonCopy.write,
  all: breakdownCopy.readsAndWritesWeighted,
} as const

/** What stands in place of the bars when there is nothing to judge. */
export const STATE_WORDS: Record<WaterfallColumn['state'], string> = {
  judged: '',
  too_few: breakdownCopy.tooFew,
  idle: unitsCopy.noIo,
  not_measured: NOT_MEASURED,
  no_data: breakdownCopy.notAnalyzed,
}

/**
 * The rows of all columns, aligned: row n of every column is about the same thing. Measurements that contradict each other, by
 * `disagreement_us` in the worst minute, reads and writes together, have a last row, told in the first column.
 */
export function waterfallRows(
  columns: readonly WaterfallColumn[],
  scale: LatencyScale,
  disagreement_us: number | null = null,
): WaterfallRow[][] {
  const names = alignedKeys(columns)
  return columns.map((column, index) => {
    const own = new Map(columnRows(column, scale).map((row) => [row.key, row]))
    const rows = names.map((name) => own.get(name.key) ?? absent(name, absentWords(column, name)))
    if (disagreement_us === null || disagreement_us <= 0) return rows
    return [...rows, contradiction(index === 0 ? disagreement_us : 0)]
  })
}

/** Less of the total is no row of its own on a summary. */
const WORTH_A_ROW = 0.01

export interface FoldedRows {
  keys: ReadonlySet<string>
  /** What they are of, in path order: layers and parts with numbers, and layers without any. */
  small: string[]
  missing: string[]
}

/**
 * Rows that a summary folds into words: layers and parts under 1 % of every column's total, ranges included, and layers that were not
 * measured. What is above baseline, or named by the diagnosis, keeps its row. A part that is left alone says nothing that its layer does
 * not, unless the layer is named. `layersOnly`: other layers have one row each, their parts are told by its bar.
 */
export function foldedRows(
  columns: readonly WaterfallColumn[],
  named: readonly string[],
  layersOnly = false,
): FoldedRows {
  const all = waterfallRows(columns, waterfallScale(columns).scale)
  const same = (all[0] ?? []).map((_, position) => all.map((rows) => rows[position]).filter((row) => row !== undefined))
  const folded = same.filter((rows) => rows.every((row, index) => isSmall(row, columns[index], named)))
  const heads = folded.flatMap(([row]) => row ?? [])
  const left = same.flatMap(([row]) => (row === undefined || heads.includes(row) ? [] : [row]))
  const spare = left.filter(
    (row) =>
      row.kind === 'part' &&
      !named.includes(row.layer) &&
      (layersOnly || left.filter(({ kind, layer }) => kind === 'part' && layer === row.layer).length === 1),
  )
  const layers = new Set(heads.filter(({ kind }) => kind === 'layer').map(({ layer }) => layer))
  const missing = folded
    .filter((rows) => rows.every(({ value }) => value === NOT_MEASURED))
    .flatMap(([row]) => row ?? [])
  return {
    keys: new Set([...heads, ...spare].map(({ key }) => key)),
    // A layer is named for its parts, too.
    small: heads
      .filter((row) => !missing.includes(row) && !(row.kind === 'part' && layers.has(row.layer)))
      .map(({ label }) => label),
    missing: missing.map(({ label }) => label),
  }
}

function isSmall(row: WaterfallRow, column: WaterfallColumn | undefined, named: readonly string[]): boolean {
  if (row.kind !== 'layer' && row.kind !== 'part') return false
  const least_us = WORTH_A_ROW * (column?.total_us ?? 0)
  if (row.kind === 'part') return row.end_us - row.start_us < least_us
  return (
    !named.includes(row.layer) && row.excess === '' && Math.max(row.end_us, row.upper_us ?? 0) - row.start_us < least_us
  )
}

const CONTRADICTION: RowName = {
  key: 'contradiction',
  kind: 'contradiction',
  layer: '',
  label: breakdownCopy.contradiction,
}

/** Below zero: no part of the path has this time. */
function contradiction(us: number): WaterfallRow {
  return { ...absent(CONTRADICTION), start_us: -us, value: us > 0 ? breakdownCopy.upTo(formatLatency(us)) : '' }
}

/** Why a column has no number of a layer that another column has one of, or nobody has. */
function absentWords(column: WaterfallColumn, { kind, layer }: RowName): string {
  if (kind === 'part' || column.layers.length === 0) return ''
  if (column.not_measured.some((one) => one === layer)) return NOT_MEASURED
  return column.layers.some(({ layers }) => layers.length > 1 && layers.some((one) => one === layer))
    ? ioPathCopy.notSeparable
    : ''
}

type RowName = Pick<WaterfallRow, 'key' | 'kind' | 'layer' | 'label'>

/** The total, then every layer of any column in path order, each followed by its parts where it has several. */
function alignedKeys(columns: readonly WaterfallColumn[]): RowName[] {
  const layers = new Map<string, { label: string; order: number }>()
  for (const layer of columns.flatMap((column) => column.layers))
    layers.set(layer.name, { label: layer.label, order: pathOrder(layer.layers) })
  for (const layer of columns.flatMap((column) => column.not_measured))
    if (!layers.has(layer)) layers.set(layer, { label: layerWord(layer), order: pathOrder([layer]) })
  const ordered = [...layers].sort(([, a], [, b]) => a.order - b.order)
  return [
    TOTAL,
    ...ordered.flatMap(([name, { label }]): RowName[] => [
      { key: name, kind: 'layer', layer: name, label },
      ...partNames(columns, name),
    ]),
  ]
}

const TOTAL: RowName = { key: 'total', kind: 'total', layer: '', label: commonCopy.total }

/** The kernel's time where counters cannot tell its segments apart: said in a row, as the sentence speaks of its queue. */
const KERNEL_REST = 'kernel_rest'

/** The parts of a layer worth rows of their own: several of them, at least one above zero. */
function partNames(columns: readonly WaterfallColumn[], layer: string): RowName[] {
  const found = new Map<string, RowName>()
  for (const column of columns)
    for (const part of column.parts)
      if (part.layer === layer && part.us > 0)
        found.set(part.name, { key: `part.${part.name}`, kind: 'part', layer, label: part.label })
  // A row for each names them in the order that they came in, which is that of the path.
  return found.size > 1 || found.has(KERNEL_REST) ? [...found.values()] : []
}

const absent = (name: RowName, words = ''): WaterfallRow => ({
  ...name,
  color: null,
  start_us: 0,
  end_us: 0,
  lower_us: null,
  upper_us: null,
  baseline_us: null,
  value: words,
  counted: '',
  share: '',
  excess: '',
  isOver: false,
  pieces: [],
})

function columnRows(column: WaterfallColumn, scale: LatencyScale): WaterfallRow[] {
  let at_us = 0
  const steps = stepsThatAddUp(inSteps(column.layers, scale), Math.round((column.total_us ?? 0) / stepOf(scale)))
  const rows = column.layers.flatMap((layer, index) => {
    const start_us = at_us
    at_us += layer.us
    const own = steps[index] ?? 0
    const parts = placed(
      column.parts.filter((part) => part.layer === layer.name),
      start_us,
      own,
      scale,
    )
    return [layerRow(layer, start_us, parts, own, scale), ...parts]
  })
  return [totalRow(column, rows, scale), ...rows]
}

/** µs of one step of the last decimal shown. */
const stepOf = ({ unit, decimals }: LatencyScale) => 10 ** -decimals * (unit === 'ms' ? 1000 : 1)

const inSteps = (all: readonly { us: number }[], scale: LatencyScale) => all.map(({ us }) => us / stepOf(scale))

/**
 * Whole steps that add up to `whole`, each less than one step off: those with the largest remainders are rounded up.
 * Numbers that are a sum of something else than `whole` come as near to it as such rounding can.
 */
export function stepsThatAddUp(exact: readonly number[], whole: number): number[] {
  const floors = exact.map(Math.floor)
  const up = whole - floors.reduce((sum, one) => sum + one, 0)
  const remainder = (index: number) => (exact[index] ?? 0) - (floors[index] ?? 0)
  const largest = exact
    .map((_, index) => index)
    .filter((index) => remainder(index) > 0)
    .sort((a, b) => remainder(b) - remainder(a))
  const raised = new Set(largest.slice(0, Math.max(0, up)))
  return floors.map((floor, index) => floor + (raised.has(index) ? 1 : 0))
}

/** Something is never written as nothing. */
function stepsText(us: number, steps: number, scale: LatencyScale): string {
  if (us > 0 && steps === 0) return `<${formatFixed(10 ** -scale.decimals, scale.decimals)} ${scale.unit}`
  return formatLatencyIn(steps * stepOf(scale), scale)
}

/** `whole`: of their layer, in steps. */
function placed(parts: readonly WaterfallPart[], from_us: number, whole: number, scale: LatencyScale): WaterfallRow[] {
  let at_us = from_us
  const steps = stepsThatAddUp(inSteps(parts, scale), whole)
  return parts.map((part, index) => {
    const start_us = at_us
    at_us += part.us
    const look = partLook(part)
    const piece = { start_us, end_us: at_us, ...look }
    return {
      ...absent({ key: `part.${part.name}`, kind: 'part', layer: part.layer, label: part.label }),
      color: look.color,
      start_us,
      end_us: at_us,
      value: stepsText(part.us, steps[index] ?? 0, scale),
      counted: countedText(part),
      share: shareText(part.share),
      pieces: part.us > 0 ? [piece] : [],
    }
  })
}

function layerRow(
  layer: WaterfallLayer,
  start_us: number,
  parts: readonly WaterfallRow[],
  steps: number,
  scale: LatencyScale,
): WaterfallRow {
  const look = layerLook(layer.layers)
  const pieces = parts.flatMap((part) => part.pieces)
  const whole = { start_us, end_us: start_us + layer.us, ...look }
  return {
    key: layer.name,
    kind: 'layer',
    layer: layer.name,
    label: layer.label,
    color: look.color,
    start_us,
    end_us: start_us + layer.us,
    lower_us: start_us + layer.lower_us,
    upper_us: start_us + layer.upper_us,
    baseline_us: layer.baseline_us > 0 ? start_us + layer.baseline_us : null,
    value: stepsText(layer.us, steps, scale),
    counted: countedText(layer),
    share: shareText(layer.share),
    excess: excessText(layer, steps, scale),
    isOver: layer.excess_lower_us > 0,
    pieces: pieces.length > 0 ? pieces : layer.us > 0 ? [whole] : [],
  }
}

const countedText = ({ counted_us = null }: { counted_us?: number | null }) =>
  counted_us === null ? '' : formatLatency(counted_us)

function totalRow(column: WaterfallColumn, rows: readonly WaterfallRow[], scale: LatencyScale): WaterfallRow {
  return {
    ...absent(TOTAL),
    end_us: column.total_us ?? 0,
    baseline_us: column.baseline_us,
    value: column.total_us === null ? STATE_WORDS[column.state] : formatLatencyIn(column.total_us, scale),
    pieces: rows.filter((row) => row.kind === 'layer').flatMap((row) => row.pieces),
  }
}

/** To the nearest percent, never "0 %" for something; nothing for an unknown share. More than all is told as it is. */
export function shareText(share: number | null): string {
  if (share === null) return ''
  if (share <= 0) return '0 %'
  if (share < 0.01) return '<1 %'
  return `${Math.round(100 * share)} %`
}

/** What is above baseline, unless it is too small for the chart's decimals: never more than what is written of the layer itself, `most` steps. */
function excessText(layer: WaterfallLayer, most: number, scale: LatencyScale): string {
  const step = stepOf(scale)
  const steps = Math.min(Math.round(layer.excess_us / step), most)
  if (layer.excess_us < step || steps === 0) return ''
  return overText(formatLatencyIn(steps * step, scale), layer.excess_lower_us > 0)
}

/** One scale and one number of decimals for all columns, wide enough for every bound. */
export function waterfallScale(columns: readonly WaterfallColumn[]): { max_us: number; scale: LatencyScale } {
  const scale = latencyScale(Math.max(0, ...columns.map((column) => column.total_us ?? 0)))
  const ends = waterfallRows(columns, scale)
    .flat()
    .flatMap((row) => [row.end_us, row.upper_us ?? 0, row.baseline_us ?? 0])
  return { max_us: niceMax(Math.max(0, ...ends)), scale }
}

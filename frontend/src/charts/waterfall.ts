/** Where one I/O's time went in one window: floating bars in path order under their total, with bounds, usual time and share. */

import type { CustomSeriesOption } from 'echarts/charts'
import type { GridComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import type { XAXisComponentOption, YAXisComponentOption } from 'echarts/types/dist/option'
import { formatLatencyIn, type LatencyScale, latencyScale, NOT_MEASURED } from '../lib/units'
import { hatchLines, type Rect } from './hatch'
import { niceMax } from './panels'
import { type LayerId, mergedLabel, pathOrder, SEGMENTS, type SegmentId } from './segments'
import { axisLabel } from './timePanels'
import { type ChartTokens, colourOf, type LineColour } from './tokens'

/** One stretch of the path in µs per I/O; null is "not measured". `part` is a segment, or neighbouring layers that could not be told apart. */
export interface WaterfallPart {
  part: SegmentId | readonly LayerId[]
  value_us: number | null
  lower_us: number | null
  upper_us: number | null
  /** Usual at this hour. */
  expected_us: number | null
  /** Not measured itself but concluded from others. */
  inferred: boolean
}

export interface WaterfallColumn {
  direction: 'read' | 'write' | 'all'
  /** The outermost measured boundary, of which the shares are taken. */
  total_us: number | null
  total_lower_us: number | null
  total_upper_us: number | null
  parts: readonly WaterfallPart[]
}

export interface WaterfallInput {
  columns: readonly WaterfallColumn[]
  /** One column under the other, for narrow screens. */
  stacked: boolean
  tokens: ChartTokens
  label: string
}

/** One row ready to draw; positions are µs from the start of the I/O. */
export interface WaterfallRow {
  label: string
  hint: string
  start_us: number
  end_us: number
  /** Bounds of the row's end; null where there are none. */
  lower_us: number | null
  upper_us: number | null
  expected_us: number | null
  /** "0.44 ms 31 %", or "not measured". */
  text: string
  /** What fills the bar, left to right: one piece, or all of them for the total. */
  pieces: { start_us: number; end_us: number; colour: LineColour; hatched: boolean }[]
}

/** The total, then every part in path order, each beginning where the one before ended. */
export function waterfallRows(column: WaterfallColumn, scale: LatencyScale): WaterfallRow[] {
  let at_us = 0
  const rows = [...column.parts]
    .sort((a, b) => orderOf(a) - orderOf(b))
    .map((part): WaterfallRow => {
      const start_us = at_us
      at_us += part.value_us ?? 0
      const end = (value_us: number | null) =>
        part.value_us === null || value_us === null ? null : start_us + value_us
      const piece = { start_us, end_us: at_us, ...lookOf(part) }
      return {
        ...wordsOf(part.part),
        start_us,
        end_us: at_us,
        lower_us: end(part.lower_us),
        upper_us: end(part.upper_us),
        expected_us: end(part.expected_us),
        text: textOf(part.value_us, column.total_us, scale),
        pieces: part.value_us === null || part.value_us === 0 ? [] : [piece],
      }
    })
  return [totalRow(column, rows, scale), ...rows]
}

const orderOf = ({ part }: WaterfallPart) => pathOrder(part) - (typeof part === 'string' ? 0 : 0.5)

function wordsOf(part: WaterfallPart['part']): { label: string; hint: string } {
  if (typeof part === 'string') return { label: SEGMENTS[part].label, hint: SEGMENTS[part].hint }
  return { label: mergedLabel(part), hint: 'not told apart' }
}

function lookOf({ part, inferred }: WaterfallPart): { colour: LineColour; hatched: boolean } {
  if (typeof part !== 'string') return { colour: { ink: 'gap' }, hatched: true }
  return { colour: { layer: SEGMENTS[part].fill }, hatched: inferred || SEGMENTS[part].hatched }
}

/** A share of an unknown or empty total is no number. */
function textOf(value_us: number | null, total_us: number | null, scale: LatencyScale): string {
  if (value_us === null) return NOT_MEASURED
  const latency = formatLatencyIn(value_us, scale)
  return total_us === null || total_us <= 0 ? latency : `${latency} ${shareText(value_us / total_us)}`
}

/** Never "0 %" for something and never "100 %" for less than all. */
function shareText(share: number): string {
  if (share <= 0) return '0 %'
  if (share < 0.01) return '<1 %'
  return `${share < 1 ? Math.min(99, Math.round(100 * share)) : Math.round(100 * share)} %`
}

function totalRow(column: WaterfallColumn, rows: readonly WaterfallRow[], scale: LatencyScale): WaterfallRow {
  return {
    label: 'Total',
    hint: 'sum of what was measured',
    start_us: 0,
    end_us: column.total_us ?? 0,
    lower_us: column.total_lower_us,
    upper_us: column.total_upper_us,
    expected_us: null,
    text: column.total_us === null ? NOT_MEASURED : formatLatencyIn(column.total_us, scale) + halfWidth(column, scale),
    pieces: rows.flatMap((row) => row.pieces),
  }
}

/** " ± 0.60 ms" where the bounds lie around the value. */
function halfWidth({ total_lower_us, total_upper_us }: WaterfallColumn, scale: LatencyScale): string {
  if (total_lower_us === null || total_upper_us === null || total_upper_us <= total_lower_us) return ''
  return ` ± ${formatLatencyIn((total_upper_us - total_lower_us) / 2, scale)}`
}

/** One scale and one number of decimals for all columns, wide enough for every bound. */
export function waterfallScale(columns: readonly WaterfallColumn[]): { max_us: number; scale: LatencyScale } {
  const totals = columns.map((column) => column.total_us ?? 0)
  const scale = latencyScale(Math.max(0, ...totals))
  const ends = columns.flatMap((column) => [
    column.total_upper_us ?? 0,
    ...waterfallRows(column, scale).flatMap((row) => [row.end_us, row.upper_us ?? 0, row.expected_us ?? 0]),
  ])
  return { max_us: niceMax(Math.max(0, ...ends)), scale }
}

const ROW = 38
const HEAD = 34
const FOOT = 30
const LABELS = 164
// Under one another there is no room for hints beside the labels.
const LABELS_STACKED = 116
const RIGHT = 20
// Two columns beside the labels of the first, in shares of the chart's width.
const SIDE_BY_SIDE = ['18%', '60%'] as const
const PLOT_WIDTH = '38%'
const BAR = 18
const TEXT_PX = 6.6

/** Height in CSS pixels that the chart needs. */
export function waterfallHeight({ columns, stacked }: Pick<WaterfallInput, 'columns' | 'stacked'>): number {
  const heights = columns.map(columnHeight)
  return stacked ? heights.reduce((sum, height) => sum + height, 0) : Math.max(0, ...heights)
}

const columnHeight = (column: WaterfallColumn) => HEAD + ROW * (column.parts.length + 1) + FOOT

type WaterfallOption = ComposeOption<CustomSeriesOption | GridComponentOption> & {
  xAxis: XAXisComponentOption[]
  yAxis: YAXisComponentOption[]
}

export function waterfallOption(input: WaterfallInput): WaterfallOption {
  const { columns, tokens } = input
  const { max_us, scale } = waterfallScale(columns)
  const rows = columns.map((column) => waterfallRows(column, scale))
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font, color: tokens.ink.text },
    aria: { enabled: true, label: { description: input.label } },
    grid: grids(input),
    xAxis: columns.map((_, index) => latencyAxis(index, max_us, tokens)),
    yAxis: columns.map((column, index) => rowAxis(column, rows[index] ?? [], index, input)),
    series: rows.map((own, index) => rowSeries(own, index, tokens)),
  }
}

function grids({ columns, stacked }: WaterfallInput): GridComponentOption[] {
  let top = HEAD
  return columns.map((column, index) => {
    const height = ROW * (column.parts.length + 1)
    const place = { top, height, outerBoundsMode: 'none' as const }
    if (stacked || columns.length === 1) {
      top += columnHeight(column)
      return { ...place, left: stacked ? LABELS_STACKED : LABELS, right: RIGHT }
    }
    // Equally wide plots on one scale: only then can reads and writes be compared by eye.
    return { ...place, left: SIDE_BY_SIDE[index] ?? SIDE_BY_SIDE[1], width: PLOT_WIDTH }
  })
}

function latencyAxis(index: number, max_us: number, tokens: ChartTokens): XAXisComponentOption {
  return {
    gridIndex: index,
    type: 'value',
    min: 0,
    max: max_us,
    interval: max_us / 3,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      color: tokens.ink.faint,
      fontSize: 11,
      alignMaxLabel: 'right',
      formatter: (value: number) => axisLabel(value, 'µs', max_us),
    },
    splitLine: { lineStyle: { color: tokens.ink.grid } },
  }
}

const TITLES = { read: 'Read', write: 'Write', all: 'Reads and writes, op-weighted' } as const

function rowAxis(
  column: WaterfallColumn,
  rows: readonly WaterfallRow[],
  index: number,
  { stacked, tokens }: WaterfallInput,
): YAXisComponentOption {
  return {
    gridIndex: index,
    type: 'category',
    inverse: true,
    data: rows.map((row) => (stacked ? `{label|${row.label}}` : `{label|${row.label}}\n{hint|${row.hint}}`)),
    name: `{title|${TITLES[column.direction]}}{total|${rows[0]?.text ?? ''}}`,
    nameLocation: 'start',
    nameGap: 12,
    nameTextStyle: {
      align: 'left',
      rich: {
        title: { color: tokens.ink.muted, fontSize: 13, fontWeight: 600, fontFamily: tokens.font },
        total: {
          color: tokens.ink.text,
          fontSize: 15,
          fontWeight: 700,
          fontFamily: tokens.font,
          padding: [0, 0, 0, 8],
        },
      },
    },
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      show: index === 0 || stacked,
      interval: 0,
      align: 'left',
      margin: (stacked ? LABELS_STACKED : LABELS) - 8,
      rich: {
        label: { color: tokens.ink.text, fontSize: 13, fontWeight: 600, lineHeight: 17 },
        hint: { color: tokens.ink.faint, fontSize: 11, lineHeight: 14 },
      },
    },
  }
}

function rowSeries(rows: readonly WaterfallRow[], index: number, tokens: ChartTokens): CustomSeriesOption {
  return {
    id: `waterfall.${index}`,
    type: 'custom',
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    encode: { x: [0, 1], y: 2 },
    data: rows.map((row, position) => [row.start_us, row.end_us, position]),
    renderItem: (params, api) => {
      const row = rows[params.dataIndex]
      if (row === undefined) return null
      const plot = params.coordSys as unknown as Rect
      const place = (value_us: number) => api.coord([value_us, params.dataIndex])[0] ?? plot.x
      const middle = api.coord([0, params.dataIndex])[1] ?? plot.y
      const isTotal = params.dataIndex === 0
      const isLast = params.dataIndex === rows.length - 1
      return {
        type: 'group',
        children: [
          ...(isTotal || isLast || row.text === NOT_MEASURED ? [] : [connector(place(row.end_us), middle, tokens)]),
          ...row.pieces.flatMap((piece) => bar(piece, place, middle, tokens)),
          ...expectedTick(row, place, middle, tokens),
          ...whisker(row, place, middle, tokens),
          ...(isTotal ? [] : [valueText(row, place, middle, plot, tokens)]),
        ],
      }
    },
  }
}

type Place = (value_us: number) => number

function line(x1: number, y1: number, x2: number, y2: number, style: object) {
  return { type: 'line' as const, shape: { x1, y1, x2, y2 }, style }
}

/** From a bar's end down to where the next one begins. */
function connector(x: number, middle: number, tokens: ChartTokens) {
  return line(x, middle + BAR / 2, x, middle + ROW - BAR / 2, {
    stroke: tokens.ink.muted,
    lineWidth: 1,
    lineDash: [2, 2],
  })
}

function bar(piece: WaterfallRow['pieces'][number], place: Place, middle: number, tokens: ChartTokens) {
  const x = place(piece.start_us)
  const rect = { x, y: middle - BAR / 2, width: Math.max(1, place(piece.end_us) - x), height: BAR }
  const fill = colourOf({ colour: piece.colour, shape: 'band' }, tokens)
  const edge = 'layer' in piece.colour ? tokens.edge[piece.colour.layer] : fill
  const body = { type: 'rect' as const, shape: rect, style: { fill, stroke: edge, lineWidth: 1 } }
  if (!piece.hatched) return [body]
  const stripes = hatchLines(rect, tokens.ink.card, { stepPx: 5, opacity: 0.75 })
  return [body, { type: 'group' as const, children: stripes, clipPath: { type: 'rect' as const, shape: rect } }]
}

/** Twice drawn, so that it stands out from a bar of any colour and from the card. */
function whisker({ lower_us, upper_us }: WaterfallRow, place: Place, middle: number, tokens: ChartTokens) {
  if (lower_us === null || upper_us === null || upper_us <= lower_us) return []
  const [from, to] = [place(lower_us), place(upper_us)]
  return [
    { stroke: tokens.ink.card, lineWidth: 3.5 },
    { stroke: tokens.ink.total, lineWidth: 1.5 },
  ].flatMap((style) => [
    line(from, middle, to, middle, style),
    line(from, middle - 5, from, middle + 5, style),
    line(to, middle - 5, to, middle + 5, style),
  ])
}

function expectedTick({ expected_us }: WaterfallRow, place: Place, middle: number, tokens: ChartTokens) {
  if (expected_us === null) return []
  const x = place(expected_us)
  return [line(x, middle - BAR / 2 - 4, x, middle + BAR / 2 + 4, { stroke: tokens.ink.muted, lineWidth: 2.5 })]
}

/** Right of everything drawn in its row; left of the bar where there is no room; over it where there is none either. */
function valueText(row: WaterfallRow, place: Place, middle: number, plot: Rect, tokens: ChartTokens) {
  const after = place(Math.max(row.end_us, row.upper_us ?? 0, row.expected_us ?? 0)) + 8
  const width = row.text.length * TEXT_PX
  const before = place(Math.min(row.start_us, row.lower_us ?? row.start_us)) - 8
  const right = plot.x + plot.width
  const fits = after + width <= right || before - width < plot.x
  const isMissing = row.text === NOT_MEASURED
  return {
    type: 'text' as const,
    z2: 10,
    style: {
      text: row.text,
      x: fits ? Math.min(after, right - width) : before,
      y: middle,
      textAlign: fits ? ('left' as const) : ('right' as const),
      textVerticalAlign: 'middle' as const,
      fill: isMissing ? tokens.ink.faint : tokens.ink.text,
      font: `${isMissing ? 400 : 600} 12px ${tokens.font}`,
      stroke: tokens.ink.card,
      lineWidth: 3,
    },
  }
}

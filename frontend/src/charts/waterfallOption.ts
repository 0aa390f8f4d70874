/** The waterfall's rows as an ECharts option. Pure. */

import type { CustomSeriesOption } from 'echarts/charts'
import type { GridComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import type { XAXisComponentOption, YAXisComponentOption } from 'echarts/types/dist/option'
import { hatchDots, hatchLines, type Rect } from './hatch'
import { axisLabel } from './timePanels'
import { type ChartTokens, colorOf } from './tokens'
import { COLUMN_TITLES, type WaterfallColumn, type WaterfallRow, waterfallRows, waterfallScale } from './waterfall'

export interface WaterfallInput {
  columns: readonly WaterfallColumn[]
  layout: WaterfallLayout
  /** The layers that the diagnosis names, marked by a wash: two where it could not decide between them. */
  named: readonly string[]
  /** No latency is elevated now: nothing is in the color of an alarm. */
  isCalm: boolean
  /** How far measurements contradict each other. */
  disagreement_us: number | null
  /** Rows that are not drawn. */
  folded?: ReadonlySet<string>
  tokens: ChartTokens
  label: string
}

/** Words beside the bars; above them, where those have no room beside; and one column under the other. */
export type WaterfallLayout = 'wide' | 'beside' | 'stacked'

const HEAD = 38
const FOOT = 30
// Beside the bars, and above them.
const ROW = { wide: 28, beside: 42, stacked: 42 } as const
/** From the middle of a row to its words and to its bar, where the words stand above. */
const ABOVE = { words: -9, bar: 10 } as const
const LABELS = 150
const EDGE = 12
// Words beside their bars are drawn on charts of at least that width.
const LEAST_WIDE_PX = 1100
// The labels of two columns stand beside the first, in per cent of the chart's width.
const FIRST = 13
const BAR = { total: 20, layer: 17, part: 7, contradiction: 15 } as const
const LEAD = 13
const TEXT_PX = 6.2

type Need = Pick<WaterfallInput, 'columns' | 'layout' | 'disagreement_us' | 'folded'>

/** Height in CSS pixels that the chart needs. */
export function waterfallHeight(need: Need): number {
  const { columns, layout } = need
  const rows = drawnRows(need)[0]?.length ?? 0
  return heightOf(rows, layout) * (layout === 'stacked' ? columns.length : 1)
}

const drawnRows = ({ columns, disagreement_us, folded }: Need) =>
  waterfallRows(columns, waterfallScale(columns).scale, disagreement_us).map((rows) =>
    rows.filter(({ key }) => !folded?.has(key)),
  )

const heightOf = (rows: number, layout: WaterfallLayout) => HEAD + ROW[layout] * rows + FOOT

type WaterfallOption = ComposeOption<CustomSeriesOption | GridComponentOption> & {
  xAxis: XAXisComponentOption[]
  yAxis: YAXisComponentOption[]
}

export function waterfallOption(input: WaterfallInput): WaterfallOption {
  const { columns, tokens } = input
  const { max_us } = waterfallScale(columns)
  const rows = drawnRows(input)
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font, color: tokens.ink.text },
    aria: { enabled: true, label: { description: input.label } },
    grid: grids(input, rows),
    xAxis: columns.map((_, index) => latencyAxis(index, max_us, input)),
    yAxis: columns.map((column, index) => rowAxis(column, rows[index] ?? [], index, input)),
    series: rows.map((own, index) => rowSeries(own, index, input)),
  }
}

function grids({ columns, layout }: WaterfallInput, rows: readonly (readonly WaterfallRow[])[]): GridComponentOption[] {
  const count = rows[0]?.length ?? 0
  const room_px = roomBehind(rows)
  // Equally wide plots on one scale: only then can reads and writes be compared by eye.
  const room = Math.min(24, (100 * room_px) / LEAST_WIDE_PX)
  const width = (100 - FIRST - 2 * room - 1) / 2
  return columns.map((_, index) => {
    const place = { top: HEAD, height: ROW[layout] * count, outerBoundsMode: 'none' as const }
    if (layout === 'stacked') return { ...place, top: HEAD + index * heightOf(count, layout), left: EDGE, right: EDGE }
    if (columns.length === 1)
      return layout === 'wide' ? { ...place, left: LABELS, right: room_px } : { ...place, left: EDGE, right: EDGE }
    if (layout === 'beside') return { ...place, left: index === 0 ? '1%' : '52%', width: '47%' }
    return { ...place, left: `${index === 0 ? FIRST : FIRST + width + room + 1}%`, width: `${width}%` }
  })
}

/** Px for all words of a row whose bar goes to the end of the plot. */
const roomBehind = (rows: readonly (readonly WaterfallRow[])[]) =>
  Math.max(0, ...rows.flat().map((row) => widthOf(wordsOf(row)))) + LEAD

function latencyAxis(
  index: number,
  max_us: number,
  { layout, tokens, disagreement_us }: WaterfallInput,
): XAXisComponentOption {
  return {
    gridIndex: index,
    type: 'value',
    // What contradicts is drawn left of zero.
    min: (disagreement_us ?? 0) > 0 ? -max_us / 3 : 0,
    max: max_us,
    interval: max_us / 3,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      color: tokens.ink.faint,
      fontSize: 11,
      alignMaxLabel: 'right',
      // Narrow plots have no room for the words between both ends; below zero nothing is measured.
      formatter: (value: number) =>
        value < -max_us * 0.01 || (layout !== 'wide' && value > max_us * 0.01 && value < max_us * 0.99)
          ? ''
          : axisLabel(Math.max(0, value), 'µs', max_us),
    },
    splitLine: { lineStyle: { color: tokens.ink.grid } },
  }
}

function rowAxis(
  column: WaterfallColumn,
  rows: readonly WaterfallRow[],
  index: number,
  { layout, tokens }: WaterfallInput,
): YAXisComponentOption {
  return {
    gridIndex: index,
    type: 'category',
    inverse: true,
    data: rows.map((row) => `{${row.kind}|${row.label}}`),
    name: `{title|${COLUMN_TITLES[column.direction]}}{sum|${rows[0]?.value ?? ''}}`,
    nameLocation: 'start',
    nameGap: 14,
    nameTextStyle: {
      align: 'left',
      rich: {
        title: { color: tokens.ink.muted, fontSize: 13, fontWeight: 600, fontFamily: tokens.font },
        sum: {
          color: column.state === 'judged' ? tokens.ink.text : tokens.ink.faint,
          fontSize: 17,
          fontWeight: 700,
          fontFamily: tokens.font,
          padding: [0, 0, 0, 9],
        },
      },
    },
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      show: index === 0 && layout === 'wide',
      interval: 0,
      align: 'left',
      margin: LABELS - 10,
      overflow: 'break',
      lineHeight: 14,
      width: LABELS - 18,
      rich: {
        total: { color: tokens.ink.text, fontSize: 13, fontWeight: 700 },
        layer: { color: tokens.ink.text, fontSize: 13, fontWeight: 600 },
        part: { color: tokens.ink.muted, fontSize: 12, padding: [0, 0, 0, 10] },
        contradiction: { color: tokens.ink.text, fontSize: 13, fontWeight: 600 },
      },
    },
  }
}

function rowSeries(rows: readonly WaterfallRow[], index: number, input: WaterfallInput): CustomSeriesOption {
  const { tokens, named, isCalm, columns, layout } = input
  const isFaint = columns[index]?.state !== 'judged'
  const isAbove = layout !== 'wide'
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
      const place = (value_us: number) => Math.max(plot.x, api.coord([value_us, params.dataIndex])[0] ?? plot.x)
      const center = api.coord([0, params.dataIndex])[1] ?? plot.y
      const end = columns.length === 1 || index > 0 ? api.getWidth() : plot.x + plot.width + roomBehind([rows])
      const middle = center + (isAbove ? ABOVE.bar : 0)
      const at: RowPlace = { place, middle, center, pitch: ROW[layout], plot, tokens, end, isCalm }
      return {
        type: 'group',
        ...(isFaint ? { style: { opacity: 0.45 } } : {}),
        children: [
          ...(named.includes(row.layer) && !isFaint ? wash(at) : []),
          ...connector(row, rows, at),
          ...row.pieces.flatMap((piece) => bar(piece, BAR[row.kind], at, isFaint)),
          ...outlined(row, at),
          ...usualMark(row, at),
          ...whisker(row, at),
          ...(isAbove ? wordsAbove(row, at) : [valueText(row, at)]),
        ],
      }
    },
  }
}

interface RowPlace {
  place: (value_us: number) => number
  /** Of the bar, and of the row. */
  middle: number
  center: number
  /** From one row to the next. */
  pitch: number
  plot: Rect
  tokens: ChartTokens
  /** How far to the right words may go. */
  end: number
  isCalm: boolean
}

function line(x1: number, y1: number, x2: number, y2: number, style: object) {
  return { type: 'line' as const, shape: { x1, y1, x2, y2 }, style }
}

/** Behind the rows of the layer that the diagnosis names. */
function wash({ center, pitch, plot, tokens, isCalm }: RowPlace) {
  const shape = { x: plot.x - 6, y: center - pitch / 2, width: plot.width + 12, height: pitch }
  return [{ type: 'rect' as const, shape, style: { fill: isCalm ? tokens.ink.muted : tokens.ink.bad, opacity: 0.09 } }]
}

/** From the end of a layer's bar down to where the next layer's begins, past the rows of its parts. */
function connector(row: WaterfallRow, rows: readonly WaterfallRow[], { place, middle, pitch, tokens }: RowPlace) {
  if (row.kind !== 'layer' || row.pieces.length === 0) return []
  const own = rows.indexOf(row)
  const next = rows.findIndex((other, index) => index > own && other.kind === 'layer' && other.pieces.length > 0)
  if (next < 0) return []
  const x = place(row.end_us)
  const bottom = middle + (next - own) * pitch - BAR.layer / 2
  return [line(x, middle + BAR.layer / 2, x, bottom, { stroke: tokens.ink.muted, lineWidth: 1, lineDash: [2, 2] })]
}

function bar(
  piece: WaterfallRow['pieces'][number],
  height: number,
  { place, middle, tokens }: RowPlace,
  isFaint: boolean,
) {
  const x = place(piece.start_us)
  const rect = { x, y: middle - height / 2, width: Math.max(1, place(piece.end_us) - x), height }
  const fill = isFaint ? tokens.ink.gap : colorOf({ color: piece.color, shape: 'band' }, tokens)
  const edge = 'layer' in piece.color && !isFaint ? tokens.edge[piece.color.layer] : fill
  const body = { type: 'rect' as const, shape: rect, style: { fill, stroke: edge, lineWidth: 1 } }
  if (!piece.hatched) return [body]
  const stripes = piece.dotted
    ? hatchDots(rect, tokens.ink.card)
    : hatchLines(rect, tokens.ink.card, { stepPx: 5, opacity: 0.75 })
  return [body, { type: 'group' as const, children: stripes, clipPath: { type: 'rect' as const, shape: rect } }]
}

/** Left of zero, without a fill: time that measurements contradict each other by. */
function outlined({ kind, start_us, end_us }: WaterfallRow, { place, middle, tokens }: RowPlace) {
  if (kind !== 'contradiction' || start_us >= end_us) return []
  const [x, zero] = [place(start_us), place(end_us)]
  const shape = { x, y: middle - BAR.contradiction / 2, width: Math.max(2, zero - x), height: BAR.contradiction }
  return [{ type: 'rect' as const, shape, style: { fill: 'none', stroke: tokens.ink.boundary, lineWidth: 1.5 } }]
}

/** Twice drawn, so that it stands out from a bar of any color and from the card. */
function whisker({ lower_us, upper_us }: WaterfallRow, { place, middle, tokens }: RowPlace) {
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

/** Under the bar, as long as is usual for this hour. */
function usualMark({ kind, start_us, baseline_us }: WaterfallRow, { place, middle, tokens }: RowPlace) {
  if (baseline_us === null) return []
  const y = middle + BAR[kind] / 2 + 3.5
  return [
    line(place(start_us), y, place(baseline_us), y, { stroke: tokens.ink.boundary, lineWidth: 2.5, lineCap: 'round' }),
  ]
}

/** Right of everything drawn in its row; left of it where only that side has room. */
function valueText(row: WaterfallRow, { place, middle, plot, tokens, end, isCalm }: RowPlace) {
  const after = place(Math.max(row.end_us, row.upper_us ?? 0)) + LEAD - 4
  const before = place(Math.min(row.start_us, row.lower_us ?? row.start_us)) - LEAD + 4
  const width = widthOf(wordsOf(row))
  const isRight = width <= end - after || width > before - plot.x
  const style = { ...richText(row, wordsOf(row), tokens, isCalm), y: middle }
  const side = isRight ? { x: after, align: 'left' as const } : { x: before, align: 'right' as const }
  return { type: 'text' as const, z2: 10, style: { ...style, ...side } }
}

/** Over its bar: what it is at the left, its numbers at the right. */
function wordsAbove(row: WaterfallRow, { center, plot, tokens, isCalm }: RowPlace) {
  const y = center + ABOVE.words
  const isPart = row.kind === 'part'
  const label = {
    text: row.label,
    x: plot.x + (isPart ? 10 : 0),
    y,
    verticalAlign: 'middle' as const,
    fill: isPart ? tokens.ink.muted : tokens.ink.text,
    font: `${isPart ? 400 : 600} ${isPart ? 12 : 13}px ${tokens.font}`,
    // Lines from one layer to the next must not run through the letters.
    stroke: tokens.ink.card,
    lineWidth: 3,
  }
  const numbers = { ...richText(row, wordsOf(row), tokens, isCalm), x: plot.x + plot.width, y, align: 'right' as const }
  return [
    { type: 'text' as const, z2: 10, style: label },
    { type: 'text' as const, z2: 10, style: numbers },
  ]
}

type Word = ['value' | 'share' | 'over' | 'maybe', string]

function wordsOf({ kind, value, share, excess, isOver }: WaterfallRow): Word[] {
  // The total stands over its column.
  if (kind === 'total') return []
  const all: Word[] = [
    ['value', value],
    ['share', share],
    [isOver ? 'over' : 'maybe', excess],
  ]
  return all.filter(([, text]) => text !== '')
}

const widthOf = (words: readonly Word[]) => words.map(([, text]) => text).join('  ').length * TEXT_PX

function richText(row: WaterfallRow, words: readonly Word[], tokens: ChartTokens, isCalm: boolean) {
  const isMissing = row.color === null && row.kind !== 'contradiction'
  const halo = { stroke: tokens.ink.card, lineWidth: 3 }
  return {
    text: words.map(([style, text]) => `{${style}|${text}}`).join('  '),
    verticalAlign: 'middle' as const,
    rich: {
      value: {
        fill: isMissing ? tokens.ink.faint : row.kind === 'part' ? tokens.ink.muted : tokens.ink.text,
        font: `${isMissing || row.kind === 'part' ? 400 : 600} 12px ${tokens.font}`,
        ...halo,
      },
      share: { fill: tokens.ink.muted, font: `400 12px ${tokens.font}`, ...halo },
      over: { fill: isCalm ? tokens.ink.text : tokens.ink.bad, font: `600 12px ${tokens.font}`, ...halo },
      maybe: { fill: tokens.ink.muted, font: `500 12px ${tokens.font}`, ...halo },
    },
  }
}

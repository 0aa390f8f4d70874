/** The waterfall's rows as an ECharts option. Pure. */

import type { CustomSeriesOption } from 'echarts/charts'
import type { GridComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import type { XAXisComponentOption, YAXisComponentOption } from 'echarts/types/dist/option'
import { hatchLines, type Rect } from './hatch'
import { axisLabel } from './timePanels'
import { type ChartTokens, colourOf } from './tokens'
import { COLUMN_TITLES, type WaterfallColumn, type WaterfallRow, waterfallRows, waterfallScale } from './waterfall'

export interface WaterfallInput {
  columns: readonly WaterfallColumn[]
  /** One column under the other, for narrow screens. */
  stacked: boolean
  /** The layers that the verdict names, marked by a wash: two where it could not decide between them. */
  named: readonly string[]
  tokens: ChartTokens
  label: string
}

const ROW = 31
const HEAD = 38
const FOOT = 30
const LABELS = 150
const LABELS_STACKED = 116
// Room for a row's words behind a bar that goes to the end.
const RIGHT = 120
// Two columns beside the labels of the first, in shares of the chart's width.
const SIDE_BY_SIDE = ['14%', '57%'] as const
const PLOT_WIDTH = '30%'
// Between the end of a plot and what follows it: for all words of a row whose bar goes to the end.
const ROOM = 0.13
const BAR = { total: 20, layer: 17, part: 7 } as const
const LEAD = 13
const TEXT_PX = 6.7

/** Height in CSS pixels that the chart needs. */
export function waterfallHeight({ columns, stacked }: Pick<WaterfallInput, 'columns' | 'stacked'>): number {
  const rows = waterfallRows(columns, waterfallScale(columns).scale)[0]?.length ?? 0
  return heightOf(rows) * (stacked ? columns.length : 1)
}

const heightOf = (rows: number) => HEAD + ROW * rows + FOOT

type WaterfallOption = ComposeOption<CustomSeriesOption | GridComponentOption> & {
  xAxis: XAXisComponentOption[]
  yAxis: YAXisComponentOption[]
}

export function waterfallOption(input: WaterfallInput): WaterfallOption {
  const { columns, tokens } = input
  const { max_us, scale } = waterfallScale(columns)
  const rows = waterfallRows(columns, scale)
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font, color: tokens.ink.text },
    aria: { enabled: true, label: { description: input.label } },
    grid: grids(input, rows[0]?.length ?? 0),
    xAxis: columns.map((_, index) => latencyAxis(index, max_us, input)),
    yAxis: columns.map((column, index) => rowAxis(column, rows[index] ?? [], index, input)),
    series: rows.map((own, index) => rowSeries(own, rows, index, input)),
  }
}

function grids({ columns, stacked }: WaterfallInput, rows: number): GridComponentOption[] {
  return columns.map((_, index) => {
    const place = { height: ROW * rows, outerBoundsMode: 'none' as const }
    if (stacked) return { ...place, top: HEAD + index * heightOf(rows), left: LABELS_STACKED, right: RIGHT }
    if (columns.length === 1) return { ...place, top: HEAD, left: LABELS, right: RIGHT }
    // Equally wide plots on one scale: only then can reads and writes be compared by eye.
    return { ...place, top: HEAD, left: SIDE_BY_SIDE[index] ?? SIDE_BY_SIDE[1], width: PLOT_WIDTH }
  })
}

function latencyAxis(index: number, max_us: number, { stacked, tokens }: WaterfallInput): XAXisComponentOption {
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
      // Narrow plots have no room for the words between both ends.
      formatter: (value: number) =>
        stacked && value > 0 && value < max_us * 0.99 ? '' : axisLabel(value, 'µs', max_us),
    },
    splitLine: { lineStyle: { color: tokens.ink.grid } },
  }
}

function rowAxis(
  column: WaterfallColumn,
  rows: readonly WaterfallRow[],
  index: number,
  { stacked, tokens }: WaterfallInput,
): YAXisComponentOption {
  const labels = stacked ? LABELS_STACKED : LABELS
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
      show: index === 0 || stacked,
      interval: 0,
      align: 'left',
      margin: labels - 10,
      overflow: 'truncate',
      width: labels - 18,
      rich: {
        total: { color: tokens.ink.text, fontSize: 13, fontWeight: 700 },
        layer: { color: tokens.ink.text, fontSize: 13, fontWeight: 600 },
        part: { color: tokens.ink.muted, fontSize: 12, padding: [0, 0, 0, 10] },
      },
    },
  }
}

function rowSeries(
  rows: readonly WaterfallRow[],
  all: readonly (readonly WaterfallRow[])[],
  index: number,
  input: WaterfallInput,
): CustomSeriesOption {
  const { tokens, named, columns, stacked } = input
  const isFaint = columns[index]?.state !== 'judged'
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
      const room = stacked || columns.length === 1 ? RIGHT : api.getWidth() * ROOM
      const at: RowPlace = { place, middle, plot, tokens, end: plot.x + plot.width + room - 4 }
      return {
        type: 'group',
        ...(isFaint ? { style: { opacity: 0.45 } } : {}),
        children: [
          ...(named.includes(row.layer) && !isFaint ? wash(at) : []),
          ...connector(row, rows, at),
          ...row.pieces.flatMap((piece) => bar(piece, BAR[row.kind], at, isFaint)),
          ...usualMark(row, at),
          ...whisker(row, at),
          valueText(row, at, sharesFit(all.flat(), at)),
        ],
      }
    },
  }
}

interface RowPlace {
  place: (value_us: number) => number
  middle: number
  plot: Rect
  tokens: ChartTokens
  /** How far to the right words may go. */
  end: number
}

function line(x1: number, y1: number, x2: number, y2: number, style: object) {
  return { type: 'line' as const, shape: { x1, y1, x2, y2 }, style }
}

/** Behind the rows of the layer that the verdict names. */
function wash({ middle, plot, tokens }: RowPlace) {
  const shape = { x: plot.x - 6, y: middle - ROW / 2, width: plot.width + 12, height: ROW }
  return [{ type: 'rect' as const, shape, style: { fill: tokens.ink.bad, opacity: 0.09 } }]
}

/** From the end of a layer's bar down to where the next layer's begins, past the rows of its parts. */
function connector(row: WaterfallRow, rows: readonly WaterfallRow[], { place, middle, tokens }: RowPlace) {
  if (row.kind !== 'layer' || row.pieces.length === 0) return []
  const own = rows.indexOf(row)
  const next = rows.findIndex((other, index) => index > own && other.kind === 'layer' && other.pieces.length > 0)
  if (next < 0) return []
  const x = place(row.end_us)
  const bottom = middle + (next - own) * ROW - BAR.layer / 2
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
  const fill = isFaint ? tokens.ink.gap : colourOf({ colour: piece.colour, shape: 'band' }, tokens)
  const edge = 'layer' in piece.colour && !isFaint ? tokens.edge[piece.colour.layer] : fill
  const body = { type: 'rect' as const, shape: rect, style: { fill, stroke: edge, lineWidth: 1 } }
  if (!piece.hatched) return [body]
  const stripes = hatchLines(rect, tokens.ink.card, { stepPx: 5, opacity: 0.75 })
  return [body, { type: 'group' as const, children: stripes, clipPath: { type: 'rect' as const, shape: rect } }]
}

/** Twice drawn, so that it stands out from a bar of any colour and from the card. */
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
function usualMark({ kind, start_us, expected_us }: WaterfallRow, { place, middle, tokens }: RowPlace) {
  if (expected_us === null) return []
  const y = middle + BAR[kind] / 2 + 3.5
  return [
    line(place(start_us), y, place(expected_us), y, { stroke: tokens.ink.boundary, lineWidth: 2.5, lineCap: 'round' }),
  ]
}

/** Where words beside a row's bar begin, and how much room they have there. */
function roomBeside(row: WaterfallRow, { place, plot, end }: RowPlace) {
  const after = place(Math.max(row.end_us, row.upper_us ?? 0)) + LEAD - 4
  const before = place(Math.min(row.start_us, row.lower_us ?? row.start_us)) - LEAD + 4
  return { after, before, room: { right: end - after, left: before - plot.x } }
}

/** Whether every row has room for its share: said of all or of none, so that none seems to be left out. All plots are equally wide, on one scale. */
const sharesFit = (rows: readonly WaterfallRow[], at: RowPlace) =>
  rows.every((row) => {
    const { room } = roomBeside(row, at)
    return row.share === '' || widthOf(wordChoices(row, true)[0] ?? []) <= Math.max(room.right, room.left)
  })

/** Right of everything drawn in its row, or left of it; with fewer words where there is no room for all. */
function valueText(row: WaterfallRow, at: RowPlace, withShare: boolean) {
  const { middle, tokens } = at
  const { after, before, room } = roomBeside(row, at)
  const choices = wordChoices(row, withShare)
  const words = choices.find((one) => widthOf(one) <= Math.max(room.right, room.left)) ?? choices.at(-1) ?? []
  const isRight = widthOf(words) <= room.right || widthOf(words) > room.left
  const isMissing = row.colour === null
  const halo = { stroke: tokens.ink.card, lineWidth: 3 }
  return {
    type: 'text' as const,
    z2: 10,
    style: {
      text: row.kind === 'total' ? '' : words.map(([style, text]) => `{${style}|${text}}`).join('  '),
      x: isRight ? after : before,
      y: middle,
      align: isRight ? ('left' as const) : ('right' as const),
      verticalAlign: 'middle' as const,
      rich: {
        value: {
          fill: isMissing ? tokens.ink.faint : row.kind === 'part' ? tokens.ink.muted : tokens.ink.text,
          font: `${isMissing || row.kind === 'part' ? 400 : 600} 12px ${tokens.font}`,
          ...halo,
        },
        share: { fill: tokens.ink.muted, font: `400 12px ${tokens.font}`, ...halo },
        over: { fill: tokens.ink.bad, font: `600 12px ${tokens.font}`, ...halo },
        maybe: { fill: tokens.ink.muted, font: `500 12px ${tokens.font}`, ...halo },
      },
    },
  }
}

type Word = ['value' | 'share' | 'over' | 'maybe', string]

const widthOf = (words: readonly Word[]) => words.map(([, text]) => text).join('  ').length * TEXT_PX

/** All that can be said about a row, then less and less. */
function wordChoices({ value, share, excess, isOver }: WaterfallRow, withShare: boolean): Word[][] {
  const all: Word[] = [
    ['value', value],
    ['share', withShare ? share : ''],
    [isOver ? 'over' : 'maybe', excess],
  ]
  return [all, all.slice(0, 1)].map((words) => words.filter(([, text]) => text !== ''))
}

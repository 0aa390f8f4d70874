/** Panels over one time axis as an ECharts option: stacks, lines, gap hatching, events. Pure. */

import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts'
import type { GridComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import type { XAXisComponentOption, YAXisComponentOption } from 'echarts/types/dist/option'
import * as commonCopy from '../copy/common'
import { formatClock, formatDay, type Zone } from '../lib/time'
import { type ColumnUnit, formatFixed, formatRate, latencyScale } from '../lib/units'
import { bandSeries, boundsSeries } from './bands'
import { type ChartEvent, eventSeries, LABEL_ROWS_PX } from './events'
import { gapSeries, veilSeries } from './gaps'
import { hatchDecal } from './hatch'
import { limitSeries } from './limits'
import type { Panel, PanelLine } from './panels'
import { type ChartTokens, colorOf } from './tokens'

type TimePanelsOption = ComposeOption<LineSeriesOption | CustomSeriesOption | GridComponentOption> & {
  xAxis?: XAXisComponentOption[]
  yAxis?: YAXisComponentOption[]
}

export interface TimePanelsInput {
  /** Start of each bucket; `step_s` is its length. */
  times_ms: readonly number[]
  step_s: number
  from_ms: number
  to_ms: number
  panels: readonly Panel[]
  events: readonly ChartEvent[]
  zone: Zone
  tokens: ChartTokens
  label: string
  /** A phone's width: hints that have no room are told in part. */
  narrow?: boolean
  /** The last panel is as high as there is room. */
  fill?: boolean
}

const HEIGHT = { tall: 168, medium: 116, low: 90, short: 84, slim: 30 } as const
// The first panel's title stands over two rows of words about events.
const HEAD = 42 + LABEL_ROWS_PX
const GAP = 40
const FOOT = 28
const LEFT = 68
const RIGHT = 16
// Of a panel's title and hint together on a phone.
const NARROW_LETTERS = 50

/** Height in CSS pixels that the panels need. */
export function timePanelsHeight(panels: readonly Panel[]): number {
  const plots = panels.reduce((sum, panel) => sum + HEIGHT[panel.weight], 0)
  return HEAD + plots + GAP * Math.max(0, panels.length - 1) + FOOT
}

export function timePanelsOption(input: TimePanelsInput): TimePanelsOption {
  const { panels, tokens } = input
  return {
    animation: false,
    useUTC: input.zone === 'utc',
    textStyle: { fontFamily: tokens.font, color: tokens.ink.text },
    aria: { enabled: true, label: { description: input.label } },
    grid: grids(input),
    xAxis: panels.map((_, index) => timeAxis(input, index)),
    yAxis: panels.map((panel, index) => valueAxis(panel, index, input)),
    series: panels.flatMap((panel, index) => [
      ...gapSeries(panel, index, tokens),
      ...boundsSeries(panel, index, input),
      ...bandSeries(panel, index, input),
      ...panel.lines.filter(({ shape }) => shape !== 'band').map((line) => lineSeries(line, index, input)),
      ...veilSeries(panel, index, tokens),
      ...limitSeries(panel, index, tokens),
      ...eventSeries(index, input),
    ]),
  }
}

function grids({ panels, fill = false }: TimePanelsInput): GridComponentOption[] {
  let top = HEAD
  return panels.map((panel, index) => {
    const height = fill && index === panels.length - 1 ? { bottom: FOOT } : { height: HEIGHT[panel.weight] }
    const grid = { left: LEFT, right: RIGHT, outerBoundsMode: 'none' as const, top, ...height }
    top += HEIGHT[panel.weight] + GAP
    return grid
  })
}

function timeAxis(input: TimePanelsInput, index: number): XAXisComponentOption {
  const { tokens, zone } = input
  const last = index === input.panels.length - 1
  return {
    gridIndex: index,
    type: 'time',
    min: input.from_ms,
    max: input.to_ms,
    axisLine: { onZero: false, lineStyle: { color: tokens.ink.border } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      show: last,
      color: tokens.ink.faint,
      fontSize: 11,
      hideOverlap: true,
      formatter: (at_ms: number) => tickLabel(at_ms, zone),
    },
  }
}

/** A day's name at midnight, the clock elsewhere. */
function tickLabel(at_ms: number, zone: Zone): string {
  const clock = formatClock(at_ms, zone)
  return clock === '00:00' ? formatDay(at_ms, zone) : clock
}

function valueAxis(panel: Panel, index: number, { tokens, narrow = false }: TimePanelsInput): YAXisComponentOption {
  const hint = narrow ? shortened(panel.hint, NARROW_LETTERS - panel.title.length) : panel.hint
  return {
    gridIndex: index,
    type: 'value',
    min: 0,
    max: panel.max,
    interval: panel.max / stepsOf(panel),
    axisLabel: {
      color: tokens.ink.faint,
      fontSize: 11,
      formatter: (value: number) => axisLabel(value, panel.unit, panel.max),
    },
    splitLine: { lineStyle: { color: tokens.ink.grid } },
    name: `{title|${panel.title}}  {hint|${hint}}`,
    nameLocation: 'end',
    nameGap: index === 0 ? 20 + LABEL_ROWS_PX : 20,
    nameTextStyle: {
      align: 'left',
      padding: [0, 0, 0, -LEFT + 8],
      rich: {
        title: { color: tokens.ink.text, fontSize: 12, fontWeight: 600, fontFamily: tokens.font },
        hint: { color: tokens.ink.faint, fontSize: 11, fontFamily: tokens.font },
      },
    },
  }
}

/** As many of its clauses as have room; never half a word. */
export function shortened(hint: string, room: number): string {
  if (hint.length <= room) return hint
  const ends = [...hint.matchAll(/[,;] /g)].map(({ index }) => index).filter((end) => end <= room)
  return hint.slice(0, ends.at(-1) ?? 0)
}

const stepsOf = ({ unit, weight }: Panel) => (weight === 'short' ? 2 : unit === '%' ? 4 : 3)

/** Axis numbers carry as few decimals as their steps need, and their unit. */
export function axisLabel(value: number, unit: ColumnUnit, max: number): string {
  if (value === 0) return '0'
  if (unit === 'µs') {
    const scale = latencyScale(max)
    if (scale.unit === 'µs') return `${formatFixed(value, 0)} µs`
    return `${trimmed(value / 1000)} ms`
  }
  if (unit === 'bytes/s') return `${compact(value, ' ')}B/s`
  const number = value >= 1000 ? compact(value) : formatRate(value)
  if (unit === 'count') return number
  if (unit === '%') return `${trimmed(value)} %`
  return `${number} ${unit === 'ops/s' ? commonCopy.iops : unit}`
}

const trimmed = (value: number) => String(Number(value.toPrecision(3)))

function compact(value: number, space = ''): string {
  const steps = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const
  const step = steps.find(([size]) => value >= size)
  return step ? `${trimmed(value / step[0])}${space}${step[1]}` : trimmed(value) + space
}

function lineSeries(line: PanelLine, index: number, input: TimePanelsInput): LineSeriesOption {
  const { tokens } = input
  const color = colorOf(line, tokens)
  const isArea = line.shape === 'area'
  const edge = isArea && 'layer' in line.color ? tokens.edge[line.color.layer] : color
  const data = points(input.times_ms, line.values, input.step_s)
  return {
    id: `${index}.${line.id}`,
    name: line.label,
    type: 'line',
    xAxisIndex: index,
    yAxisIndex: index,
    data,
    // Going through a thousand points for a dot is worth it only where there is one.
    showSymbol: data.some((point) => !Array.isArray(point)),
    symbol: 'none',
    silent: true,
    connectNulls: false,
    ...(line.isStepped ? { step: 'middle' as const } : {}),
    emphasis: { disabled: true },
    itemStyle: { color: color, ...(line.hatched ? { decal: hatchDecal(tokens.ink.card) } : {}) },
    lineStyle: { color: edge, width: isArea ? 0.75 : (line.width ?? 1.5), type: line.stroke },
    ...(isArea
      ? { stack: `stack${index}`, stackStrategy: 'all' as const, areaStyle: { color: color, opacity: 1 }, z: 2 }
      : { z: 4 }),
  }
}

type Point = [number, number | null] | { value: [number, number]; symbol: 'circle'; symbolSize: number }

/** Points in the middle of their buckets, null where nothing was measured. A value between two nulls gets a dot, since it has no line to be seen by. */
export function points(times_ms: readonly number[], values: readonly (number | null)[], step_s: number): Point[] {
  return times_ms.map((start_ms, index) => {
    const at_ms = start_ms + step_s * 500
    const value = values[index] ?? null
    if (value === null) return [at_ms, null]
    const alone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
    return alone ? { value: [at_ms, value], symbol: 'circle', symbolSize: 3 } : [at_ms, value]
  })
}

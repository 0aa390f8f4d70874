/** What happened, on a time axis: a line through every panel, and over the first one its words, of which none covers another. Pure. */

import type { CustomSeriesOption } from 'echarts/charts'
import { MARK_SHAPES, type Tone } from '../lib/marks'
import { visibleName } from '../lib/text'
import type { Rect } from './hatch'
import type { ChartTokens, Ink } from './tokens'

export interface ChartEvent {
  at_ms: number
  /** One line, for the cursor and for lists. */
  text: string
  /** A few words, for the line itself. */
  label: string
  /** How bad; `good` is an end, `calm` neither good nor bad. */
  tone: Tone
}

/** What a source told of, such as a VM's move. */
export const sourceEvent = ({ at, label, text }: { at: string; label: string; text: string }): ChartEvent => ({
  at_ms: Date.parse(at),
  text,
  label,
  tone: 'calm',
})

/** What is told of each bucket, in full; empty where nothing happened. */
export function eventTexts(times_ms: readonly number[], step_s: number, events: readonly ChartEvent[]): string[] {
  return times_ms.map((from_ms) =>
    events
      .filter(({ at_ms }) => from_ms <= at_ms && at_ms < from_ms + step_s * 1000)
      .map(({ text }) => visibleName(text))
      .join('; '),
  )
}

const INKS: Record<Tone, Ink> = { bad: 'bad', warn: 'warn', open: 'warn', good: 'good', calm: 'muted' }

/** A mark at its event's line, and words on the side of it that has room for them. */
export interface PlacedLabel {
  /** Left end of the mark in px. */
  mark_x: number
  /** Left end and width of the words in px; a width of 0: there is no room for any. */
  x: number
  width: number
  /** 0: beside the mark; 1: in the row above the marks, from its mark on or up to it. */
  row: 0 | 1
  text: string
  tone: Tone
  /** How many events it stands for. */
  events: number
}

export const MARK_PX = 10
const MARK_GAP = 4
const LABEL_GAP = 10
/** A character of 11 px; what is wider than that is cut off, so that labels never touch. */
const CHARACTER_PX = 6.2
/** Words cut shorter than this say nothing. */
const SHORTEST_PX = 56
const LONGEST = 34
const WORST_FIRST: readonly Tone[] = ['bad', 'warn', 'open', 'good', 'calm']

interface Spot {
  mark_x: number
  events: ChartEvent[]
}

/**
 * Marks of events in one row from `left` to `right`, each with as many words as there is room for: beside it, or in the row above where
 * that has more. Events whose marks would touch share one, with the words of the worst of them and how many more there are. `xOf`
 * answers the place of an instant in px.
 */
export function placeLabels(
  events: readonly ChartEvent[],
  xOf: (at_ms: number) => number,
  left: number,
  right: number,
): PlacedLabel[] {
  const spots = spotsOf(events, xOf, left, right)
  const free_from: Record<0 | 1, number> = { 0: left, 1: left }
  return spots.map((spot, index) => {
    const next = spots[index + 1]
    const end = next === undefined ? right : next.mark_x - LABEL_GAP
    const beside = placed(spot, free_from[0], end)
    const over = beside.width < wantedPx(beside.text) ? above(beside, free_from[1], right) : beside
    const found = over.width > beside.width ? over : beside
    free_from[0] = spot.mark_x + MARK_PX + LABEL_GAP
    if (found.width > 0) free_from[found.row] = Math.max(free_from[found.row], found.x + found.width + LABEL_GAP)
    return found
  })
}

const wantedPx = (text: string) => Math.ceil([...text].length * CHARACTER_PX)

function spotsOf(events: readonly ChartEvent[], xOf: (at_ms: number) => number, left: number, right: number): Spot[] {
  const spots: Spot[] = []
  for (const event of [...events].sort((a, b) => a.at_ms - b.at_ms)) {
    const x = xOf(event.at_ms)
    if (x < left || x > right) continue
    const mark_x = Math.max(left, Math.min(x - MARK_PX / 2, right - MARK_PX))
    const last = spots.at(-1)
    if (last !== undefined && mark_x <= last.mark_x + MARK_PX) last.events.push(event)
    else spots.push({ mark_x, events: [event] })
  }
  return spots
}

/** Right of the mark or left of it, where nobody stands from `free_from` on: where all the words have room, else where most of them do. */
function placed({ mark_x, events }: Spot, free_from: number, end: number): PlacedLabel {
  const worst = [...events].sort((a, b) => WORST_FIRST.indexOf(a.tone) - WORST_FIRST.indexOf(b.tone))[0] as ChartEvent
  const text = events.length === 1 ? cut(worst.label) : `${cut(worst.label)} +${events.length - 1}`
  const wanted = wantedPx(text)
  const [left, right] = [mark_x - MARK_GAP, mark_x + MARK_PX + MARK_GAP]
  const [before, after] = [Math.min(wanted, left - free_from), Math.min(wanted, end - right)]
  const width = Math.max(before, after)
  const about = { mark_x, row: 0 as const, text, tone: worst.tone, events: events.length }
  if (width < Math.min(wanted, SHORTEST_PX)) return { ...about, x: right, width: 0 }
  return { ...about, width, x: after === width ? right : left - width }
}

/** Over the mark: from its left end on, else up to its right end. */
function above(label: PlacedLabel, free_from: number, right: number): PlacedLabel {
  const wanted = wantedPx(label.text)
  const mark_end = label.mark_x + MARK_PX
  const after = label.mark_x >= free_from ? Math.min(wanted, right - label.mark_x) : 0
  const before = Math.min(wanted, mark_end - free_from)
  const width = Math.max(after, before)
  if (width < Math.min(wanted, SHORTEST_PX)) return { ...label, width: 0 }
  return { ...label, row: 1, width, x: after >= before ? label.mark_x : mark_end - width }
}

const cut = (label: string) => {
  const characters = [...visibleName(label)]
  return characters.length <= LONGEST ? characters.join('') : `${characters.slice(0, LONGEST - 1).join('')}…`
}

interface EventsInput {
  from_ms: number
  to_ms: number
  events: readonly ChartEvent[]
  tokens: ChartTokens
}

/** The lines of one panel; the first panel (`index` 0) carries the words above it. */
export function eventSeries(index: number, { events, from_ms, to_ms, tokens }: EventsInput): CustomSeriesOption[] {
  const shown = events.filter(({ at_ms }) => at_ms >= from_ms && at_ms <= to_ms)
  if (shown.length === 0) return []
  return [
    {
      id: `${index}.events`,
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      clip: false,
      z: 6,
      encode: { x: 0, y: -1 },
      tooltip: { show: false },
      data: [[from_ms, 0]],
      renderItem: (params, api) => {
        const box = params.coordSys as unknown as Rect
        const xOf = (at_ms: number) => api.coord([at_ms, 0])[0] ?? box.x
        const lines = shown.map((event) => eventLine(xOf(event.at_ms), box, event, tokens))
        const labels = index === 0 ? placeLabels(shown, xOf, box.x, box.x + box.width) : []
        return { type: 'group', children: [...lines, ...labels.flatMap((label) => labelShapes(label, box.y, tokens))] }
      },
    },
  ]
}

/** Beginnings are dashed in their color, ends and what merely happened are dotted and gray. */
function eventLine(x: number, box: Rect, { tone }: ChartEvent, tokens: ChartTokens) {
  const isBad = tone !== 'good' && tone !== 'calm'
  return {
    type: 'line' as const,
    shape: { x1: x, y1: box.y, x2: x, y2: box.y + box.height },
    style: {
      stroke: isBad ? tokens.ink[INKS[tone]] : tokens.ink.muted,
      lineWidth: 1,
      lineDash: isBad ? [6, 3] : [2, 3],
    },
  }
}

const LABEL_ROW_PX = 8
/** From one row of words to the next; the first panel leaves room for both. */
export const LABEL_ROWS_PX = 14

function labelShapes({ mark_x, x, width, row, text, tone }: PlacedLabel, top: number, tokens: ChartTokens) {
  const y = top - LABEL_ROW_PX
  // A path that is drawn again keeps the place inside its shape: only its own place moves with its line.
  const mark = {
    type: 'path' as const,
    x: mark_x,
    y: y - MARK_PX / 2,
    shape: { pathData: MARK_SHAPES[tone], x: 0, y: 0, width: MARK_PX, height: MARK_PX },
    style: { fill: tokens.ink[INKS[tone]] },
  }
  if (width === 0) return [mark]
  const style = {
    text,
    fill: tokens.ink.text,
    font: `11px ${tokens.font}`,
    verticalAlign: 'middle' as const,
    width,
    overflow: 'truncate' as const,
    lineOverflow: 'truncate' as const,
  }
  // Words before their mark end at it.
  const isBefore = x < mark_x
  return [
    mark,
    {
      type: 'text' as const,
      x: isBefore ? x + width : x,
      y: y - row * LABEL_ROWS_PX,
      style: { ...style, align: isBefore ? ('right' as const) : ('left' as const) },
    },
  ]
}

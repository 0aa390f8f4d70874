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
export const sourceEvent = ({ at, kind, text }: { at: string; kind: string; text: string }): ChartEvent => ({
  at_ms: Date.parse(at),
  text,
  label: kind.replaceAll('_', ' '),
  tone: 'calm',
})

const INKS: Record<Tone, Ink> = { bad: 'bad', warn: 'warn', open: 'warn', good: 'good', calm: 'muted' }

/** A mark at its event's line, and words on the side of it that has room for them. */
export interface PlacedLabel {
  /** Left end of the mark in px. */
  mark_x: number
  /** Left end and width of the words in px; a width of 0: there is no room for any. */
  x: number
  width: number
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
 * Marks of events in one row from `left` to `right`, each with as many words as there is room for beside it. Events whose marks would
 * touch share one, with the words of the worst of them and how many more there are. `xOf` answers the place of an instant in px.
 */
export function placeLabels(
  events: readonly ChartEvent[],
  xOf: (at_ms: number) => number,
  left: number,
  right: number,
): PlacedLabel[] {
  const spots = spotsOf(events, xOf, left, right)
  let free_from = left
  return spots.map((spot, index) => {
    const next = spots[index + 1]
    const end = next === undefined ? right : next.mark_x - LABEL_GAP
    const found = placed(spot, free_from, end)
    free_from = Math.max(spot.mark_x + MARK_PX, found.x + found.width) + LABEL_GAP
    return found
  })
}

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

/** Right of the mark where there is room, else left of it, where nobody stands from `free_from` on. */
function placed({ mark_x, events }: Spot, free_from: number, end: number): PlacedLabel {
  const worst = [...events].sort((a, b) => WORST_FIRST.indexOf(a.tone) - WORST_FIRST.indexOf(b.tone))[0] as ChartEvent
  const text = events.length === 1 ? cut(worst.label) : `${cut(worst.label)} +${events.length - 1}`
  const wanted = Math.ceil([...text].length * CHARACTER_PX)
  const after = mark_x + MARK_PX + MARK_GAP
  const before = mark_x - MARK_GAP
  const about = { mark_x, text, tone: worst.tone, events: events.length }
  if (end - after >= Math.min(wanted, SHORTEST_PX)) return { ...about, x: after, width: Math.min(wanted, end - after) }
  const width = Math.min(wanted, before - free_from)
  if (width >= Math.min(wanted, SHORTEST_PX)) return { ...about, x: before - width, width }
  return { ...about, x: after, width: 0 }
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
export function eventSeries(index: number, { events, from_ms, to_ms, tokens }: EventsInput): CustomSeriesOption {
  const shown = events.filter(({ at_ms }) => at_ms >= from_ms && at_ms <= to_ms)
  return {
    id: `${index}.events`,
    type: 'custom',
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    clip: false,
    z: 6,
    encode: { x: 0, y: -1 },
    tooltip: { show: false },
    data: shown.length === 0 ? [] : [[from_ms, 0]],
    renderItem: (params, api) => {
      const box = params.coordSys as unknown as Rect
      const xOf = (at_ms: number) => api.coord([at_ms, 0])[0] ?? box.x
      const lines = shown.map((event) => eventLine(xOf(event.at_ms), box, event, tokens))
      const labels = index === 0 ? placeLabels(shown, xOf, box.x, box.x + box.width) : []
      return { type: 'group', children: [...lines, ...labels.flatMap((label) => labelShapes(label, box.y, tokens))] }
    },
  }
}

/** Beginnings are dashed in their colour, ends and what merely happened are dotted and grey. */
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

function labelShapes({ mark_x, x, width, text, tone }: PlacedLabel, top: number, tokens: ChartTokens) {
  const y = top - LABEL_ROW_PX
  const mark = {
    type: 'path' as const,
    shape: { pathData: MARK_SHAPES[tone], x: mark_x, y: y - MARK_PX / 2, width: MARK_PX, height: MARK_PX },
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
      y,
      style: { ...style, align: isBefore ? ('right' as const) : ('left' as const) },
    },
  ]
}

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

export interface PlacedLabel {
  /** Left end in px. */
  x: number
  width: number
  text: string
  tone: Tone
  /** How many events it stands for. */
  events: number
}

const MARK_PX = 10
const MARK_GAP = 4
const LABEL_GAP = 10
/** A character of 11 px; what is wider than that is cut off, so that labels never touch. */
const CHARACTER_PX = 6.2
const LONGEST = 30
const WORST_FIRST: readonly Tone[] = ['bad', 'warn', 'open', 'good', 'calm']

interface Cluster {
  x: number
  events: ChartEvent[]
}

/**
 * Where the labels of events stand, in one row from `left` to `right`: at the event's line where there is room. Events whose labels
 * would touch share one: that of the worst of them, and how many more there are. `xOf` answers the place of an instant in px.
 */
export function placeLabels(
  events: readonly ChartEvent[],
  xOf: (at_ms: number) => number,
  left: number,
  right: number,
): PlacedLabel[] {
  const inside = [...events]
    .sort((a, b) => a.at_ms - b.at_ms)
    .map((event): Cluster => ({ x: xOf(event.at_ms), events: [event] }))
    .filter(({ x }) => x >= left && x <= right)
  let clusters: Cluster[] = []
  for (const next of inside) {
    let merged = next
    // A label that grew by one more event may now touch the one before it.
    while (
      clusters.length > 0 &&
      endOf(placed(clusters.at(-1) as Cluster, left, right)) + LABEL_GAP > placed(merged, left, right).x
    ) {
      const before = clusters.at(-1) as Cluster
      clusters = clusters.slice(0, -1)
      merged = { x: before.x, events: [...before.events, ...merged.events] }
    }
    clusters.push(merged)
  }
  return clusters.map((cluster) => placed(cluster, left, right))
}

const endOf = ({ x, width }: PlacedLabel) => x + width

function placed({ x, events }: Cluster, left: number, right: number): PlacedLabel {
  const worst = [...events].sort((a, b) => WORST_FIRST.indexOf(a.tone) - WORST_FIRST.indexOf(b.tone))[0] as ChartEvent
  const text = events.length === 1 ? cut(worst.label) : `${cut(worst.label)} +${events.length - 1}`
  const width = MARK_PX + MARK_GAP + Math.ceil([...text].length * CHARACTER_PX)
  return {
    x: Math.max(left, Math.min(x - MARK_PX / 2, right - width)),
    width,
    text,
    tone: worst.tone,
    events: events.length,
  }
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

function labelShapes({ x, width, text, tone }: PlacedLabel, top: number, tokens: ChartTokens) {
  const ink = tokens.ink[INKS[tone]]
  const y = top - LABEL_ROW_PX
  return [
    {
      type: 'path' as const,
      shape: { pathData: MARK_SHAPES[tone], x, y: y - MARK_PX / 2, width: MARK_PX, height: MARK_PX },
      style: { fill: ink },
    },
    {
      type: 'text' as const,
      x: x + MARK_PX + MARK_GAP,
      y,
      style: {
        text,
        fill: tokens.ink.text,
        font: `11px ${tokens.font}`,
        verticalAlign: 'middle' as const,
        width: width - MARK_PX - MARK_GAP,
        overflow: 'truncate' as const,
        lineOverflow: 'truncate' as const,
      },
    },
  ]
}

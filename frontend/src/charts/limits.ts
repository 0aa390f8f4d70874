/** Limits over panels, such as a QoS limit or what a rule fires at: lines with their words, never part of a stack. */

import type { CustomSeriesOption } from 'echarts/charts'
import type { Rect } from './hatch'
import type { ChartTokens } from './tokens'

export interface PanelLimit {
  /** In the panel's own unit. */
  value: number
  label: string
}

/** A limit and where it belongs: `layer` is the one whose bounds have to be shown. */
export interface ChartLimit extends PanelLimit {
  panel: 'read' | 'write' | 'iops' | 'bounds'
  layer?: string
}

export const limitsOf = (limits: readonly ChartLimit[], panel: ChartLimit['panel'], layer?: string): PanelLimit[] =>
  limits.filter((one) => one.panel === panel && one.layer === layer)

/** A limit farther away than that would press what was measured flat: it is told at the top instead. */
const FARTHEST = 3

/** How high a panel has to reach for its limits to be lines in it. */
export const reachWith = (highest: number, limits: readonly PanelLimit[]): number =>
  Math.max(highest, ...limits.map(({ value }) => value).filter((value) => value <= FARTHEST * highest || highest <= 0))

/** Height of a line of words, how far they stand from the panel's edges, and what a letter of them takes at most. */
const WORDS_PX = 13
const WORDS_X = 6
const LETTER_PX = 6

/** `max`: upper end of the panel's axis. */
export function limitSeries(
  { limits = [], max }: { limits?: readonly PanelLimit[]; max: number },
  index: number,
  tokens: ChartTokens,
): CustomSeriesOption[] {
  if (limits.length === 0) return []
  return [
    {
      id: `${index}.limits`,
      type: 'custom',
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      clip: false,
      z: 5,
      encode: { x: -1, y: -1 },
      tooltip: { show: false },
      data: limits.map(({ value }) => [value]),
      renderItem: (params, api) => {
        const limit = limits[params.dataIndex]
        if (limit === undefined) return null
        const box = params.coordSys as unknown as Rect
        const isInside = limit.value <= max
        const y = isInside ? (api.coord([0, limit.value])[1] ?? box.y) : box.y
        return {
          type: 'group',
          children: [...(isInside ? [stroke(box, y, tokens)] : []), words(limit, box, y, isInside, tokens)],
        }
      },
    },
  ]
}

function stroke({ x, width }: Rect, y: number, { ink }: ChartTokens) {
  const style = { stroke: ink.text, lineWidth: 1.25, lineDash: [10, 3, 2, 3] }
  return { type: 'line' as const, shape: { x1: x, y1: y, x2: x + width, y2: y }, style }
}

/** At the left end of the line: over it where there is room, since what was measured is mostly below. On a phone in two lines. */
function words({ label }: PanelLimit, box: Rect, y: number, isInside: boolean, { ink, font }: ChartTokens) {
  const lines = brokenAtSpaces(isInside ? label : `↑ ${label}`, (box.width - 2 * WORDS_X) / LETTER_PX)
  const isOver = isInside && y - box.y >= lines.length * WORDS_PX + 2
  const style = {
    text: lines.join('\n'),
    x: box.x + WORDS_X,
    y: y + (isOver ? -2 : 2),
    lineHeight: WORDS_PX,
    verticalAlign: isOver ? ('bottom' as const) : ('top' as const),
    fill: ink.text,
    font: `11px ${font}`,
    stroke: ink.card,
    lineWidth: 3,
  }
  return { type: 'text' as const, style }
}

/** As many words in each line as it has room for; a number stays in one piece, which the chart library would break behind its comma. */
export function brokenAtSpaces(text: string, mostLetters: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && longer.length <= mostLetters) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

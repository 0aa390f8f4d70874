/** How the lines of a chart over time look, for legends on the page and in pictures. */

import type { PanelLine } from '../../charts/panels'
import { type ChartTokens, colorOf } from '../../charts/tokens'
import type { LegendWord } from './Words'

export function lineWord(line: PanelLine, tokens: ChartTokens): LegendWord {
  const color = colorOf(line, tokens)
  const label = line.strip === undefined ? line.legend : `${line.legend} (${line.strip})`
  return { label, color, ...edgeOf(line, tokens), mark: markOf(line) }
}

function markOf({ shape, stroke, hatched, dotted }: PanelLine): LegendWord['mark'] {
  if (shape === 'line') return stroke === 'dotted' ? 'points' : stroke
  if (dotted) return 'dotted'
  return hatched ? 'hatched' : 'fill'
}

/** A faint fill needs a line around it. */
const edgeOf = ({ color }: PanelLine, { edge }: ChartTokens) => ('layer' in color ? { edge: edge[color.layer] } : {})

/** Of what is drawn; the picture says nothing of what is switched off. */
export const drawnWords = (lines: readonly PanelLine[], hidden: ReadonlySet<string>, tokens: ChartTokens) =>
  lines.filter(({ key }) => !hidden.has(key)).map((line) => lineWord(line, tokens))

/** The colors of a chart, read from the variables of styles/tokens.css. Which layer has which: ioPath.ts; a test holds those to io_path.json. */

import { PATH_COLORS } from './ioPath'

export type Layer = (typeof PATH_COLORS)[number]

const INKS = [
  'card',
  'sunken',
  'border',
  'grid',
  'text',
  'muted',
  'faint',
  'bad',
  'warn',
  'good',
  'gap',
  'total',
  'boundary',
  'in_flight',
] as const
export type Ink = (typeof INKS)[number]

export interface ChartTokens {
  ink: Record<Ink, string>
  fill: Record<Layer, string>
  /** Line around a fill that would be too faint on the card by itself. */
  edge: Record<Layer, string>
  font: string
}

export type LineColor = { layer: Layer } | { ink: Ink }

/** Fills are solid colors; thin lines take the layer's edge, which stays readable on a light card. */
export function colorOf(
  { color, shape }: { color: LineColor; shape: 'area' | 'line' | 'band' },
  tokens: ChartTokens,
): string {
  if ('ink' in color) return tokens.ink[color.ink]
  return shape === 'line' ? tokens.edge[color.layer] : tokens.fill[color.layer]
}

// Unquoted on purpose: the SVG renderer writes the family into an attribute without escaping.
const FONT = 'Inter Variable,Inter,system-ui,Segoe UI,Roboto,DejaVu Sans,sans-serif'

const variable = (name: string) => `--gv-${name.replaceAll('_', '-')}`

/** "#fff" → "#ffffff": the build shortens what it can, and whoever mixes colors counts on two digits of each. */
const inFull = (color: string) => color.replace(/^#([\da-f])([\da-f])([\da-f])$/i, '#$1$1$2$2$3$3')

/** Builds the tokens from `read`, which answers the value of a CSS variable. */
export function chartTokens(read: (variable: string) => string): ChartTokens {
  const pick = <Name extends string>(names: readonly Name[], suffix = '') =>
    Object.fromEntries(names.map((name) => [name, inFull(read(variable(name) + suffix).trim())])) as Record<
      Name,
      string
    >
  return { ink: pick(INKS), fill: pick(PATH_COLORS), edge: pick(PATH_COLORS, '-edge'), font: FONT }
}

/** A reader of one theme's variables straight from the style sheet's text, for use without a document. */
export function variablesOf(css: string, theme: string): (variable: string) => string {
  const block = css.split(`[data-theme="${theme}"]`)[1]?.split('}')[0] ?? ''
  const values = new Map([...block.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map((match) => [match[1], match[2]]))
  return (name) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`tokens.css has no ${name} in the ${theme} theme`)
    return value
  }
}

/** Where the environment's I/Os are and whose time they lose: one tile per thing, as large as its I/Os, in the color of the layer that is named. Pure. */

import type { TreemapSeriesOption } from 'echarts/charts'
import type { TooltipComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import * as overviewCopy from '../copy/overview'
import { hatchDecal } from './hatch'
import { type LayerId, layerLook } from './segments'
import { type ChartTokens, colorOf } from './tokens'

type TreemapOption = ComposeOption<TreemapSeriesOption | TooltipComponentOption>

export interface Tile {
  id: string
  name: string
  /** What it stands under, such as its array; null: tiles are not grouped. */
  group: { id: string; name: string } | null
  /** I/Os inside on average: its area. */
  ios: number
  /** Its diagnosis in a few words. */
  words: string
  /** The layers that the diagnosis names; empty when it names none. */
  layers: readonly LayerId[]
  /** How sure that is: a color alone never says it. */
  look: 'confirmed' | 'likely' | 'inconclusive' | 'calm'
  /** How far it is over what is expected: how strong its color is. */
  strength: Strength
}

export const STRENGTHS = ['little', 'much', 'most'] as const
export type Strength = (typeof STRENGTHS)[number]

/** Over what is expected by less than that part of it. */
const UP_TO = { little: 0.5, much: 2 } as const
export const STRENGTH_WORDS: Record<Strength, string> = {
  little: overviewCopy.strengthLittle,
  much: overviewCopy.strengthMuch,
  most: overviewCopy.strengthMost,
}
/** Of the layer's color on the card. */
const MIX: Record<Strength, number> = { little: 0.5, much: 0.75, most: 1 }

/** `excess_us` over `baseline_us`; where nothing is expected, everything is over it. */
export function strengthOf(excess_us: number | null, baseline_us: number | null): Strength {
  const over = (excess_us ?? 0) / Math.max(baseline_us ?? 0, 1e-9)
  return over < UP_TO.little ? 'little' : over < UP_TO.much ? 'much' : 'most'
}

interface TreemapInput {
  tiles: readonly Tile[]
  tokens: ChartTokens
  label: string
}

export function treemapOption({ tiles, tokens, label }: TreemapInput): TreemapOption {
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font },
    aria: { enabled: true, label: { description: label } },
    tooltip: { show: true },
    series: [
      {
        type: 'treemap',
        left: 0,
        right: 0,
        top: 0,
        bottom: 0,
        roam: false,
        nodeClick: false,
        breadcrumb: { show: false },
        // Smaller ones would be dots without a name; the ranking has them all.
        visibleMin: 60,
        itemStyle: { borderColor: tokens.ink.card, borderWidth: 0, gapWidth: 2 },
        levels: LEVELS,
        data: groupsOf(tiles, tokens),
      },
    ],
  }
}

const HEAD_PX = 20
/** Tiles with less of all I/Os than this have room for a letter or two of their name: the cursor and the table name them. */
const LEAST_NAMED = 0.012
/** Groups stand farther apart than their tiles. */
const LEVELS = [{ itemStyle: { gapWidth: 6, borderWidth: 0 } }, { itemStyle: { gapWidth: 2, borderWidth: 0 } }]

/** Tiles under their groups; those without one stand alone. */
function groupsOf(tiles: readonly Tile[], tokens: ChartTokens) {
  const busy = tiles.filter(({ ios }) => ios > 0)
  const least_ios = LEAST_NAMED * busy.reduce((sum, { ios }) => sum + ios, 0)
  const alone = busy.filter(({ group }) => group === null).map((tile) => node(tile, tokens, least_ios))
  const grouped = [
    ...Map.groupBy(
      busy.filter(({ group }) => group !== null),
      ({ group }) => group?.id ?? '',
    ),
  ]
  return [
    ...alone,
    ...grouped.map(([id, own]) => ({
      id,
      name: own[0]?.group?.name ?? '',
      children: own.map((tile) => node(tile, tokens, least_ios)),
      // The head of a group is painted in the color of its border.
      itemStyle: { color: tokens.ink.card, borderColor: tokens.ink.card },
      upperLabel: {
        show: true,
        height: HEAD_PX,
        color: tokens.ink.muted,
        fontSize: 12,
        overflow: 'truncate' as const,
        formatter: () => plain(own[0]?.group?.name ?? ''),
      },
    })),
  ]
}

function node(tile: Tile, tokens: ChartTokens, least_ios: number) {
  const { fill, stripes } = paint(tile, tokens)
  const ink = readableOn(fill)
  return {
    id: tile.id,
    name: tile.name,
    value: tile.ios,
    itemStyle: { color: fill, ...(stripes === null ? {} : { decal: hatchDecal(stripes) }) },
    emphasis: { itemStyle: { borderColor: tokens.ink.text, borderWidth: 2 } },
    label: {
      show: tile.ios >= least_ios,
      position: 'insideTopLeft' as const,
      distance: 2,
      // Part of the room that a label has to itself: of two lines only those are drawn that fit.
      padding: [5, 6],
      color: ink,
      fontSize: 12,
      lineHeight: 16,
      overflow: 'truncate' as const,
      // A function, since braces in a template or a name would be read as a style.
      formatter: () => [plain(tile.name), plain(tile.words)].map(stripes === null ? bare : onPlate).join('\n'),
      // Stripes must not run through the letters. A plate of the label itself would be as large as its tile.
      rich: {
        plate: { color: ink, fontSize: 12, lineHeight: 18, padding: [2, 4], backgroundColor: fill, borderRadius: 2 },
      },
    },
  }
}

const bare = (line: string) => line
const onPlate = (line: string) => `{plate|${line}}`

/** ECharts reads "{style|text}" in labels: a name must not. */
const plain = (name: string) => name.replaceAll('{', '(').replaceAll('}', ')').replaceAll('\n', ' ')

/**
 * Confirmed is solid, likely striped in its color, inconclusive gray and striped, normal as calm as the page. The farther over what is
 * expected, the stronger.
 */
export function paint({ layers, look, strength }: Pick<Tile, 'layers' | 'look' | 'strength'>, tokens: ChartTokens) {
  if (look === 'calm' || layers.length === 0) return { fill: tokens.ink.grid, stripes: null }
  if (look === 'inconclusive') return { fill: tokens.ink.gap, stripes: tokens.ink.card }
  const { color, hatched } = layerLook(layers)
  const fill = mixed(colorOf({ color, shape: 'band' }, tokens), tokens.ink.card, MIX[strength])
  return { fill, stripes: hatched || look === 'likely' ? tokens.ink.card : null }
}

/** `part` of one "#rrggbb", the rest of the other. */
function mixed(color: string, ground: string, part: number): string {
  const channel = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  const mix = [1, 3, 5].map((at) => Math.round(part * channel(color, at) + (1 - part) * channel(ground, at)))
  return `#${mix.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

// One of the two has a contrast of 4.5 on every color.
const DARK = '#000000'
const LIGHT = '#ffffff'

/** The ink with more contrast on a color. */
export function readableOn(fill: string): string {
  return contrast(fill, DARK) >= contrast(fill, LIGHT) ? DARK : LIGHT
}

export function contrast(a: string, b: string): number {
  const [dim, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (bright + 0.05) / (dim + 0.05)
}

/** As WCAG defines it, of "#rrggbb". */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

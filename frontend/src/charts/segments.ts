/** The segments and layers of an I/O's path: how they are drawn everywhere. Their words come with the numbers. */

import { layerNames } from '../copy/ioPathNames'
import { LAYER_FILLS, LAYER_IDS, SEGMENT_LOOKS } from './ioPath'
import type { LineColor } from './tokens'

export { LAYER_IDS }

export type LayerId = (typeof LAYER_IDS)[number]

export const layerWord = (layer: LayerId) => layerNames[layer]

export interface Look {
  color: LineColor
  /** Striped: waiting at a limit, inferred from two clocks, or layers that were not separable. */
  hatched: boolean
  /** With dots in place of stripes: parts of one layer that were not separable. */
  dotted?: boolean
}

/** A layer in its color; neighbors that were not separable are gray and hatched. */
export function layerLook(layers: readonly LayerId[]): Look {
  const [only] = layers
  if (layers.length !== 1 || only === undefined) return { color: { ink: 'gap' }, hatched: true }
  return { color: { layer: LAYER_FILLS[only] }, hatched: false }
}

/** A segment in its color; what no segment of a layer explains is the layer's color, dotted. */
export function partLook(part: { name: string; layers: readonly LayerId[]; is_rest: boolean }): Look {
  const segment = part.is_rest ? undefined : SEGMENT_LOOKS[part.name]
  if (segment !== undefined) return { color: { layer: segment.fill }, hatched: segment.hatched }
  return { ...layerLook(part.layers), hatched: true, ...(part.layers.length === 1 ? { dotted: true } : {}) }
}

/** Position of a layer, or of the outermost of merged ones, on the I/O's path; merged ones stand before their first. */
export function pathOrder(layers: readonly LayerId[]): number {
  const outermost = Math.min(...layers.map((layer) => LAYER_IDS.indexOf(layer)))
  return outermost - (layers.length - 1) / 10
}

/** The segments and layers of an I/O's path: how they are drawn everywhere. Their words come with the numbers. */

import * as ioPathCopy from '../copy/ioPath'
import type { Layer, LineColour } from './tokens'

/** Outermost first: left to right in a waterfall, bottom to top in a stack. */
export const LAYER_IDS = ['guest', 'kernel', 'san', 'array'] as const
export type LayerId = (typeof LAYER_IDS)[number]

const LAYER_WORDS: Record<LayerId, string> = {
  guest: ioPathCopy.guest,
  kernel: ioPathCopy.kernel,
  san: ioPathCopy.san,
  array: ioPathCopy.array,
}
const LAYER_FILLS: Record<LayerId, Layer> = {
  guest: 'guest',
  kernel: 'kernel_queue',
  san: 'san',
  array: 'array_service',
}

export const layerWord = (layer: LayerId) => LAYER_WORDS[layer]

export interface Look {
  colour: LineColour
  /** Striped: waiting at a limit, inferred from two clocks, or layers that were not separable. */
  hatched: boolean
  /** With dots in place of stripes: parts of one layer that were not separable. */
  dotted?: boolean
}

// Segments that share their colour with a plain neighbour are hatched.
const SEGMENT_LOOKS: Record<string, { fill: Layer; hatched: boolean }> = {
  guest_queue: { fill: 'guest', hatched: false },
  hypervisor: { fill: 'kernel_other', hatched: true },
  kernel_queue: { fill: 'kernel_queue', hatched: false },
  kernel_service: { fill: 'kernel_other', hatched: false },
  fabric: { fill: 'san', hatched: true },
  array_port: { fill: 'san', hatched: false },
  array_qos: { fill: 'array_queue', hatched: true },
  array_queue: { fill: 'array_queue', hatched: false },
  array_service: { fill: 'array_service', hatched: false },
}

/** A layer in its colour; neighbours that were not separable are grey and hatched. */
export function layerLook(layers: readonly LayerId[]): Look {
  const [only] = layers
  if (layers.length !== 1 || only === undefined) return { colour: { ink: 'gap' }, hatched: true }
  return { colour: { layer: LAYER_FILLS[only] }, hatched: false }
}

/** A segment in its colour; what no segment of a layer explains is the layer's colour, dotted. */
export function partLook(part: { name: string; layers: readonly LayerId[]; is_rest: boolean }): Look {
  const segment = part.is_rest ? undefined : SEGMENT_LOOKS[part.name]
  if (segment !== undefined) return { colour: { layer: segment.fill }, hatched: segment.hatched }
  return { ...layerLook(part.layers), hatched: true, ...(part.layers.length === 1 ? { dotted: true } : {}) }
}

/** Position of a layer, or of the outermost of merged ones, on the I/O's path; merged ones stand before their first. */
export function pathOrder(layers: readonly LayerId[]): number {
  const outermost = Math.min(...layers.map((layer) => LAYER_IDS.indexOf(layer)))
  return outermost - (layers.length - 1) / 10
}

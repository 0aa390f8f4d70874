/** The nine segments and four layers of an I/O's path: their words, their order, and how they are drawn everywhere. */

import type { Layer } from './tokens'

/** Outermost first: left to right in a waterfall, bottom to top in a stack. */
export const LAYER_IDS = ['guest', 'kernel', 'san', 'array'] as const
export type LayerId = (typeof LAYER_IDS)[number]

const LAYER_WORDS: Record<LayerId, string> = { guest: 'Guest', kernel: 'Kernel', san: 'SAN', array: 'Array' }

export const SEGMENT_IDS = [
  'guest_queue',
  'hypervisor',
  'kernel_queue',
  'kernel_service',
  'fabric',
  'array_port',
  'array_qos',
  'array_queue',
  'array_service',
] as const
export type SegmentId = (typeof SEGMENT_IDS)[number]

interface SegmentLook {
  label: string
  /** What the time is spent on. */
  hint: string
  layer: LayerId
  fill: Layer
  /** Hatched: waiting at a limit, or inferred from two clocks; it shares its colour with a plain neighbour. */
  hatched: boolean
}

export const SEGMENTS: Record<SegmentId, SegmentLook> = {
  guest_queue: { label: 'Guest', hint: 'in-guest queue', layer: 'guest', fill: 'guest', hatched: false },
  hypervisor: {
    label: 'Hypervisor',
    hint: 'filters, snapshots, limits',
    layer: 'kernel',
    fill: 'kernel_other',
    hatched: true,
  },
  kernel_queue: {
    label: 'Kernel queue',
    hint: 'device queue full',
    layer: 'kernel',
    fill: 'kernel_queue',
    hatched: false,
  },
  kernel_service: { label: 'Kernel other', hint: 'CPU, driver', layer: 'kernel', fill: 'kernel_other', hatched: false },
  fabric: { label: 'Fabric', hint: 'HBA, switches, retries', layer: 'san', fill: 'san', hatched: true },
  array_port: { label: 'Array port', hint: 'transfer, seen by the array', layer: 'san', fill: 'san', hatched: false },
  array_qos: { label: 'Array QoS', hint: 'waiting at a limit', layer: 'array', fill: 'array_queue', hatched: true },
  array_queue: { label: 'Array queue', hint: 'waiting inside', layer: 'array', fill: 'array_queue', hatched: false },
  array_service: {
    label: 'Array service',
    hint: 'controller and media',
    layer: 'array',
    fill: 'array_service',
    hatched: false,
  },
}

/** Layers between two measured boundaries with none measured in between: "Kernel or SAN". */
export function mergedLabel(layers: readonly LayerId[]): string {
  return layers.map((layer) => LAYER_WORDS[layer]).join(' or ')
}

/** Position of a segment or of a merged run of layers on the I/O's path. */
export function pathOrder(part: SegmentId | readonly LayerId[]): number {
  if (typeof part === 'string') return SEGMENT_IDS.indexOf(part)
  return SEGMENT_IDS.findIndex((segment) => SEGMENTS[segment].layer === part[0])
}

// Generated from backend/gavel/domain/io_path.json: `npm run codegen`.
/** Layers and segments of an I/O's path, outermost first, and what they look like. */

export const LAYER_IDS = ['guest', 'kernel', 'san', 'array'] as const

/** Variables of styles/tokens.css. */
export const PATH_COLORS = ['guest', 'kernel_queue', 'kernel_other', 'san', 'array_queue', 'array_service'] as const
type PathColor = (typeof PATH_COLORS)[number]

export const LAYER_FILLS: Record<(typeof LAYER_IDS)[number], PathColor> = {
  guest: 'guest',
  kernel: 'kernel_queue',
  san: 'san',
  array: 'array_service',
}

/** Segments that share their color with a plain neighbor are hatched. */
export const SEGMENT_LOOKS: Record<string, { fill: PathColor; hatched: boolean }> = {
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

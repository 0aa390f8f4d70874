// Generated from backend/gavel/domain/io_path.json: `npm run codegen`.
/** What the layers and segments of an I/O's path are called. */

export const layerNames = {
  guest: 'Guest',
  kernel: 'Kernel',
  san: 'SAN',
  array: 'Array',
} as const

export const segmentNames = {
  guest_queue: 'Guest queue',
  hypervisor: 'Hypervisor (virtual disk → device)',
  kernel_queue: 'Kernel queue (QAVG)',
  kernel_service: 'Kernel processing (KAVG − QAVG)',
  fabric: 'Fabric',
  array_port: 'Array port (SAN time)',
  array_qos: 'QoS rate limit',
  array_queue: 'Array queue',
  array_service: 'Array service',
} as const

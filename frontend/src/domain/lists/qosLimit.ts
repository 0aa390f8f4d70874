import type { VolumeOut } from '../../api/types'
import { formatBytesPerSecond, formatIops } from '../../lib/units'

/** "15,000 IOPS, 1.00 GB/s", or "none". */
export function qosLimit(volume: Pick<VolumeOut, 'qos_iops_limit' | 'qos_bytes_per_s_limit'>): string {
  const limits = [
    volume.qos_iops_limit === null ? null : formatIops(volume.qos_iops_limit),
    volume.qos_bytes_per_s_limit === null ? null : formatBytesPerSecond(volume.qos_bytes_per_s_limit),
  ].filter((limit) => limit !== null)
  return limits.length === 0 ? 'none' : limits.join(', ')
}

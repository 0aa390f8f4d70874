/** The newest numbers of both sides, as lists and headers show them. */

import type { Sides } from '../../api/types'
import { instantMs } from '../../lib/time'
import { counterBounds } from '../../lib/units'

/** All the time the array saw, its port included; null when its inner times were not measured. */
export function arrayLatencyUs(newest: Sides): number | null {
  if (newest.array_internal_us === null) return null
  return newest.array_internal_us + (newest.array_san_us ?? 0)
}

/** The most that either side may have measured: what a scale for both has to hold. */
export function mostUs(newest: Sides): number {
  const [, most] = counterBounds(
    newest.host_gavg_us ?? 0,
    newest.host_gavg_us === null ? null : newest.host_precision_us,
  )
  return Math.max(most, arrayLatencyUs(newest) ?? 0)
}

/** Counted, and there was none: then there is no latency either, which is something else than one that nobody measured. */
export const isIdle = ({ host_iops, array_iops }: Sides, side: 'host' | 'array') =>
  (side === 'host' ? host_iops : array_iops) === 0

/** The newest minute of several objects, or null when none was ever measured. */
export function newestAt(all: readonly Sides[]): number | null {
  const instants = all.map((newest) => instantMs(newest.at)).filter((at) => at !== null)
  return instants.length === 0 ? null : Math.max(...instants)
}

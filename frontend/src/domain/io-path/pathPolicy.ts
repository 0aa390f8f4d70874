/** A path policy in words. */

import type { DeviceOut } from '../../api/types'
import * as objectsCopy from '../../copy/objects'
import { plural, visibleName } from '../../lib/text'

const POLICIES: Record<string, string> = {
  VMW_PSP_RR: objectsCopy.roundRobin,
  VMW_PSP_MRU: objectsCopy.mostRecentlyUsed,
  VMW_PSP_FIXED: objectsCopy.fixed,
}

/** "Round robin, 1 I/O"; one that nobody knows as ESXi writes it. */
export function policyWords({ text, plugin, by, iops }: NonNullable<DeviceOut['path_policy']>): string {
  const words = POLICIES[plugin]
  if (words === undefined) return visibleName(text)
  if (by === 'latency') return objectsCopy.byLatency(words)
  return iops === null ? words : `${words}, ${plural(iops, 'I/O')}`
}

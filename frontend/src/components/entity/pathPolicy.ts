/** A path policy as ESXi writes it, in words. */

import { plural, visibleName } from '../../lib/text'

const POLICIES: Record<string, string> = {
  VMW_PSP_RR: 'Round robin',
  VMW_PSP_MRU: 'Most recently used',
  VMW_PSP_FIXED: 'Fixed',
}

/** "VMW_PSP_RR policy=iops,iops=1,bytes=10485760,useANO=0" → "Round robin, 1 I/O"; another one as it is. */
export function policyWords(policy: string): string {
  const [name = '', settings = ''] = policy.split(' ', 2)
  const words = POLICIES[name]
  if (words === undefined) return visibleName(policy)
  const by = /\bpolicy=(\w+)/.exec(settings)?.[1]
  if (by === 'latency') return `${words}, by latency`
  const iops = by === 'iops' ? /,iops=(\d+)/.exec(settings)?.[1] : undefined
  return iops === undefined ? words : `${words}, ${plural(Number(iops), 'I/O')}`
}

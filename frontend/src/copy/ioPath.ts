/** I/O path: layers, segments, hops. */

export const notSeparable = 'not separable'
export const notSeparableFromKernel = 'not separable from the kernel time at the host queue'
export const iopsMissing = (missing: string) => `IOPS ${missing}`
export const latencyMissing = (missing: string) => `latency ${missing}`
export const activeMissing = (missing: string) => `ACTV ${missing}`
export const csvHop = 'hop or segment'
export const csvTimeBetween = 'latency between hops'
export const csvUpperBound = 'upper bound: not separable from its neighbor'
export const title = 'I/O path'
export const hint = 'IOPS and latency per hop (path counters: 5 min average)'
export const csvTitle = (name: string) => `I/O path of ${name}`
export const empty = 'No I/O path'
export const emptyText = 'The Sources page lists what has been read and what is missing.'
export const hopsLabel = 'Hops from VM to array'
export const notSeparableNote =
  'Not separable: 1 ms counters cannot separate this time from the kernel time at the host queue, which includes both.'
export const activeLabel = 'ACTV / DQLEN'
export const linkTo = (link: string) => `${link} to `
export const rangeSuffix = (range: string) => `, range ${range}`
export const perHop = 'Load per hop'
export const hop = 'Hop'
export const betweenHops = 'Latency between hops'
export const between = 'Between'
export const segment = 'Segment'
export const readings = {
  endToEnd: 'from this hop on',
  hosts: 'as hosts report',
  array: 'in the array',
  estimated: 'from 1 ms counters',
}
export const activeOfDepth = (active: string, depth: string) => `${active} / ${depth}`
export const activeOf = (active: string, depth: string) => `ACTV ${active} / DQLEN ${depth}`
export const shownOf = (shown: number, total: number) => `${shown} of ${total}`

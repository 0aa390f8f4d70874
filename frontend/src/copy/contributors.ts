/** Top contributors. */

export const title = 'Top contributors'
export const atCursor = (clock: string) => `at ${clock} (cursor)`
export const nonVm = 'are not from a VM (non-VM I/O).'
export const none = 'No contributors'
export const noneText = (layer: string) => `No latency measured in the layer ${layer} in this window.`
export const layerSwitch = 'Layer to rank by'
export const unassigned = (noun: string) => `Not assigned to a ${noun}`
export const unknown = 'unknown'
export const shareOfTime = (share: string) => `${share} of the latency`
export const shareUnknown = 'share unknown'
export const shareBar = 'Share of latency'
export const share = 'Share'
export const showAll = (things: string) => `Show all ${things}`
export const outstanding = 'Outstanding'
export const notSeparable = 'partly not separable from the neighboring layer'
export const tableLabel = (nouns: string) => `${nouns} by latency share`
export const sumDiffers = (noun: string, sum: string, whole: string) =>
  `Sum of ${noun}s: ${sum} outstanding; total: ${whole}`
export const sharesOfSum = (noun: string) => ` (shares relative to the sum of ${noun}s)`
export const countersDiffer = 'Counters of virtual disks and of devices differ within their ranges.'
export const sharesOfKnown = 'Shares relative to the measured part. '
export const upperBoundOnly = (count: number, things: string) => `Upper bound (≤) only for ${count} of ${things}.`
export const firstOf = (count: number, things: string) => `Top ${count} of ${things} with I/O.`

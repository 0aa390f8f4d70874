/** Latency breakdown and latency by layer over time. */

export const insideArray = 'Array'
export const atPort = 'Array port (SAN time)'
export const estimatedReported = (estimated: string, reported: string) =>
  `${estimated} estimated, ${reported} reported by the array`
export const readsAndWrites = 'Reads and writes'
export const shareOfLatency = 'share of latency'
export const stack = 'Stack'
export const queues = 'Queues'
export const noIoInWindow = 'no I/O in this window'
export const latencyHint = 'latency per I/O'
export const solidDashed = 'reads solid, writes dashed'
export const lowerBound = (layer: string) => `${layer} ≥ (lower bound)`
export const upperBound = (layer: string) => `${layer} ≤ (upper bound)`
export const layerRange = (layer: string) => `${layer} with range`
export const layerRangeHint = 'reads and writes, weighted by I/O'
export const tooFewBand = 'Under 30 I/Os: too few I/Os'
export const noDiagnosisBand = 'Not analyzed: no diagnosis for these minutes'
export const readsAndWritesWeighted = 'Reads and writes, weighted by I/O'
export const tooFew = 'too few I/Os'
export const notAnalyzed = 'not analyzed yet'
export const contradiction = 'Counters inconsistent'
export const upTo = (latency: string) => `by up to ${latency}`
export const segment = 'segment'
export const contradictionCsv = 'counters inconsistent by up to'
export const fromDiagnosis = 'diagnosis by Gavel'
export const pictureLabel = (name: string) =>
  `Latency of ${name} over time by segment of the I/O path, reads and writes apart, with IOPS`
export const latencyOverTime = 'Latency over time'
export const layersOverTime = 'Layers over time'
export const lastHour = 'last hour'
export const directionSwitch = 'Reads or writes'
export const all = 'All'
export const reads = 'Reads'
export const writes = 'Writes'
export const exportByLayer = (name: string) => `Latency of ${name} by layer`
export const perPoint = (span: string, step: string, zoom: string) =>
  `${span === '' ? '' : `${span}, `}one point per ${step}${zoom}`
export const numbersByLayer = (name: string) => `Counters: latency of ${name} by layer`
export const unit = 'Unit'
export const stackSwitch = 'Unit of the stack'
export const uncertainty = 'Uncertainty'
export const uncertaintySwitch = 'Layer whose range is shown'
export const title = 'Latency breakdown'
export const noTime = 'No latency'
export const spoken = (name: string, columns: string) => `Latency breakdown of ${name}: ${columns}`
export const csvTitle = (name: string) => `Latency breakdown of ${name}`
export const layerRangeMark = 'range of the layer'
export const possiblyAbove = 'possibly above baseline'
export const estimatedMark = 'estimated or queued'
export const partsMark = 'segments not separable'
export const contradictionMark = 'counters inconsistent, left of zero: worst minute, reads and writes'
export const columnWords = (direction: string, total: string, layers: string) =>
  `${direction} ${total}, of that ${layers}`
export const wholeHosts = ' over all hosts'
export const wholeVms = ' over all VMs and hosts'
export const wholeVolumes = ' over all its volumes'
export const estimatedNote = (sentence: string, scope: string) =>
  `${sentence} Estimated: fitted to the counters of both sides. Reported: by the array alone${scope}.`
export const tableLabel = (name: string) => `Latency breakdown of ${name}`
export const segmentHeader = 'Segment'
export const reported = (value: string, reported: string) => `${value} (reported ${reported})`
export const inShareOfIos = (latency: string, share: string) => `${latency} in ${share} of I/Os`
export const qosLimit = (limit: string) => `QoS limit (reads and writes): ${limit}`
export const share = 'share'
export const foldedSmall = (names: string) => `Under 1 %: ${names}`
export const foldedMissing = (names: string) => `Not measured: ${names}`

/** Raw counters of ESXi and arrays: charts, tables and evidence. */

export const sanTime = 'SAN time (array port)'
export const qosScheduling = 'Array QoS scheduling'
export const qosRateLimit = 'QoS rate-limit time'
export const arrayQueue = 'Array queue'
export const arrayService = 'Array service'
export const kavg = 'KAVG'
export const qavg = 'QAVG'
export const davg = 'DAVG'
export const gavg = 'GAVG'
export const virtualDisk = 'Virtual disk'
export const mirroredWrite = 'Mirrored write'
export const latencyMean = 'op-weighted mean per bucket'
export const coarseRole = (role: string) => `${role} (1 ms resolution)`
export const throughput = 'Throughput'
export const queueDepthHint = 'and queue depth (DQLEN)'
export const levelLabel = (level: string) => `${level}, I/O`
export const backfillPending = ', backfill pending'
export const sideArray = 'Array'
export const sideHosts = 'Hosts'
export const sideVirtualDisks = 'Virtual disks'
export const sideGuest = 'Guest'
export const sideCpu = 'Host CPU'
export const cpuHint = 'all CPUs of the host together'
export const latencyByBoundary = 'Latency by boundary'
export const exportTitle = (name: string) => `Latency of ${name}`
export const fromRollups = (resolution: string) => `, from ${resolution} roll-ups`
export const perPoint = (step: string, resolution: string, zoom: string) => `one point per ${step}${resolution}${zoom}`
export const numbersLabel = (name: string) => `Counters: latency of ${name}`
export const pictureLabel = (name: string, sides: string) =>
  `Latency and IOPS of ${name} over time by boundary: ${sides}`
export const differences = 'Counter differences'
export const differencesHint = 'outermost first, reads and writes'
export const differencesScroll = 'Counter differences, scrolls'
export const difference = 'Difference'
export const estimate = 'Estimate'
export const driverArrayNote = 'Driver − array is the SAN layer without the array port (SAN time).'
export const evidence = 'Evidence'
export const evidenceHint = 'raw counters of ESXi and the array, means over the window'
export const noCounters = 'No counters in this window'
export const noCountersText = 'No samples from hosts or arrays.'
export const evidenceObject = (lead: string) => `Object: ${lead}`
export const evidenceDefault = 'unless noted otherwise'
export const evidenceTable = (side: string) => `Evidence: ${side}`
export const metricCounter = 'Metric, counter'
export const through = 'through'
export const valueResolution = 'Value, resolution'
export const objectSource = 'Object, source'
export const throughHeader = 'Through'
export const perHost = 'Per host'
export const perHostHint = (unit: string, when: string) =>
  `In ${unit}: GAVG (guest latency) = DAVG (device) + KAVG (kernel); QAVG (queue) is part of KAVG${when}`
export const shareMeaning = (layer: string) => `share of the latency in the layer ${layer}`
export const dqlen = 'DQLEN'
export const perHostTable = 'Datastore per host'
export const gavgMeaning = 'guest latency: kernel and everything below it'
export const davgMeaning = 'device latency: from the adapter driver to the array and back'
export const kavgMeaning = 'kernel latency: in the VMkernel, including its queue'
export const qavgMeaning = 'queue latency: the queue’s part of KAVG'
export const meaningResolution = (meaning: string, step: string) => `${meaning}; resolution ${step}`
export const queueDepth = 'Queue depth (DQLEN)'
export const activeVms = 'Active VMs'
export const activeVmsHint = 'VMs on this host with I/O on this datastore, of those with a disk on it'
export const vmsOf = (active: number, all: number) => `${active} of ${all}`
export const noHostSamples = 'No host samples in this window.'
export const noArraySamples = 'No array samples in this window.'
export const volumesOf = 'volumes of '
export const noEvidence = 'no samples from hosts or arrays'
export const evidenceCount = (hosts: string, array: number) => `${hosts} from hosts, ${array} from the array`
export const noSamples = 'No samples in this window'
export const noSamplesText =
  'Choose a later or a longer window. New sources deliver the first samples within a minute; the last hour is backfilled.'
export const hostsGavg = 'Hosts GAVG'
export const hostsDavg = 'Hosts DAVG'
export const hostsKavg = 'Hosts KAVG'
export const hostsIops = 'Hosts IOPS'
export const diskIops = 'Virtual disk IOPS'
export const arrayLatency = 'Array latency'
export const arraySan = 'SAN time'
export const arrayIopsOf = (scope: string) => `Array IOPS, ${scope}`
export const arrayIops = 'Array IOPS'
export const lastMinute = 'Last minute'
export const boundary = 'Boundary'
export const metric = 'Metric'
export const last = 'Last'
export const counter = 'Counter'
export const resolution = 'Resolution'
export const measuredShare = 'Measured'
export const counterOrigin = 'Counter origin'
export const counterOriginHint = (points: number) => `Measured: share of ${points} points in this window`
export const notMeasuredInWindow = 'Not measured in this window:'
export const perDevice = 'Per host and device'
export const perDisk = 'Per virtual disk'
export const perVolume = 'Per array volume'
export const perDirectory = 'Per array directory'
export const nothingMeasured = 'no samples'
export const lastSuffix = ' (last)'
export const cursorSuffix = ' (cursor)'
export const atTime = (clock: string, which: string) => `at ${clock}${which}`
export const chart = 'Chart'
export const shown = 'Shown'
export const show = 'Show'
export const rawCounters = 'Raw counters'
export const allHosts = 'all hosts'
export const sourceLead = 'source: '
export const gavgLine = 'GAVG (guest latency)'
export const davgLine = 'DAVG (device latency)'
export const kavgLine = 'KAVG (kernel latency)'
export const qavgLine = 'QAVG (queue latency)'
export const aboveBaseline = 'Above baseline'
export const counterNoun = 'counter'
export const showEvidence = 'Show evidence'

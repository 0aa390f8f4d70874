/** What-if: settings to try, and what they would do. */

export const title = 'What-if'
export const lead =
  'What queue depths, limits, placement and paths would do to the I/O of one device queue, as ranges. Nothing is changed.'
export const pickTitle = 'No object chosen'
export const pickText = 'Open a datastore, VM or host and follow “What-if” beside its name, or try a published case.'
export const examples = 'Published cases'
export const examplesHint = 'Computed with the same model'
export const scenario = 'Settings to try'
export const reset = 'Reset'
export const workload = 'Workload'
export const queue = 'Device queue'
export const queueOf = (device: string, host: string) => `${device} on ${host}`
export const today = (value: string) => `now ${value}`
export const notRead = 'not read'
export const noLimit = 'no limit'
export const slider = (label: string) => `${label}, slider`
export const threads = 'Threads'
export const diskQueue = 'Virtual disk queue'
export const depth = 'Device depth'
export const dsnro = 'DSNRO'
export const disks = 'Virtual disks'
export const stores = 'Datastores'
export const hosts = 'Hosts'
export const limit = 'IOPS limit'
export const lift = 'No IOPS limit'
export const demand = 'IOPS demand'
export const farPercent = 'Non-optimized paths'
export const farExtra = 'Extra time there'
export const percent = '%'
export const micros = 'µs'
export const result = 'Result'
export const before = 'Before'
export const after = 'After'
export const part = 'Part'
export const iops = 'IOPS'
export const latency = 'Latency'
export const breakdown = 'Latency breakdown'
export const breakdownTable = 'Latency by part, before and after'
export const beforeBar = 'Before (measured)'
export const afterBar = 'After: lower bound'
export const rangeBar = 'After: up to the upper bound'
export const neighborsIops = 'Neighbors, IOPS'
export const neighborsLatency = 'Neighbors, latency'
export const arrayIops = 'Array, IOPS'
export const arrayInFlight = 'At the array, I/Os'
export const noBound = 'no bound'
export const to = (low: string, high: string) => `${low} to ${high}`
export const closed = (iops: string, latency: string) => `Closed loop (outstanding I/O stays): ${iops}, ${latency}.`
export const open = (iops: string, latency: string) => `Open loop (IOPS stay): ${iops}, ${latency}.`
export const overrun = 'Open loop: these settings cannot carry today’s IOPS.'
export const fitted = (minutes: string) => `Driver time fitted to ${minutes} min of this queue’s history.`
export const bounded = 'Driver time bounded: between “latency stays” and “throughput stays”.'
export const binding = 'Binding limit'
export const next = 'Next limit'
export const limitIos = (label: string, ios: string) => `${label} (${ios} I/Os)`
export const none = 'none'
export const modelled = (iops: string, latency: string) => `Modeled with today’s settings: ${iops}, ${latency}.`
export const seen = (text: string) => `Observed: ${text}.`
export const source = (text: string) => `Source: ${text}.`
export const measured = (from: string, to: string, minutes: string) => `Measured ${from} to ${to} (${minutes} min)`
export const others = (count: string) => `${count} other VMs do I/O in this queue.`
export const refusedTitle = 'Not predictable'
export const unusableObject = (text: string) => `“${text}” is no object of a what-if`
export const unusableObjectText = 'An object is written as vm-17, datastore-3, host-2 or device-40.'
export const backtest = 'Backtest'
export const backtestHint = 'Changes of the last 48 h: predicted from the 10 min before, against the 10 min after'
export const noChanges = 'No setting of a queue with I/O changed.'
export const noOutcomes = 'No change with an outcome'
export const outcomes = (count: number) =>
  count === 1 ? '1 change with an outcome' : `${count} changes with an outcome`
export const insideShare = (share: string) => `${share} inside the range`
export const medianWidth = (times: string, bounded: number) => `median width ${times} × (${bounded} bounded)`
export const directionShare = (share: string) => `direction right in ${share}`
export const onHost = (host: string) => `on ${host}`
export const settingNames = {
  queue_depth: 'Device queue depth',
  dsnro: 'DSNRO',
  path_policy: 'Path policy',
  iops_limit: 'IOPS limit',
  moved: 'Placement',
} as const
export const setting = (name: string, before: string, after: string) => `${name} ${before} → ${after}`
export const tested = (what: string, before: string, predicted: string, after: string) =>
  `${what} ${before}: predicted ${predicted}, measured ${after}.`
export const insideRange = 'Inside the range'
export const outsideRange = 'Outside the range'
export const notCounted = (reason: string) => `Not counted: ${reason}`

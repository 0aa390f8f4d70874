/** Diagnosis, severity, confidence and data quality. */

export const orLayer = (layer: string) => ` or ${layer}`
export const noData = 'No data in this window'
export const title = 'Diagnosis'
export const analyzedThrough = (clock: string, ago: string) => `Analyzed through ${clock} (${ago})`
export const qualityA = 'Data quality'
export const qualityOf = (letter: string) => `Data quality ${letter}`
export const evidence = 'Evidence'
export const caveats = 'Caveats'
export const toConfirm = 'To confirm'
export const excessHint = 'sum over layers of latency above the layer’s baseline'
export const depthHint = 'effective depth of each device queue with I/O, maximum of the window'
export const matchedVolumes = (match: string) => `${match} on volumes matched to hosts`
export const matchHint = (hosts: string, arrays: string) =>
  `where both sides are measured: ${hosts} hosts ÷ ${arrays} array`
export const measuredModeled = (measured: string, modeled: string) => `${measured} measured, ${modeled} by Little’s law`
export const excessLatency = 'Excess latency'
export const excessOutstanding = 'Excess outstanding I/O'
export const hostArrayMatch = 'Host/array match'
export const queueDepth = 'Device queue depth'
export const queue = 'queue'
export const depths = (depth: string, queues: string, hosts: string) => `DQLEN ${depth}, ${queues} on ${hosts}`
export const clockSkew = 'Clock skew ≤'
export const inconsistency = 'Counter inconsistency'
export const missingSamples = 'Missing samples'
export const confirmed = 'Confirmed'
export const likely = 'Likely'
export const inconclusive = 'Inconclusive'
export const normal = 'Normal'
export const notDiagnosed = 'No diagnosis'
export const tooFew = 'Too few I/Os'
export const idle = 'Idle'
export const notMeasured = 'Not measured'
export const noDiagnosisData = 'No data'
export const tooFewText = 'Under 30 I/Os per minute. Choose a longer or a busier window.'
export const idleText = 'No I/O in this window. Choose a window with I/O.'
export const notMeasuredText =
  'There was I/O, but its latency was not measured. The Sources page lists what is missing.'
export const noDataText =
  'No analysis for this time range. New sources need about two minutes; otherwise choose a later window.'
export const baselineHistory = 'baseline for this hour'
export const baselineSetting = 'baseline (configured default, no history yet)'
export const baselinePartly = 'baseline (partly configured default, little history)'
export const baselineDefault = 'baseline (default)'
export const baselinePartlyDefault = 'baseline (partly default)'
export const aboveBaseline = 'above baseline'
export const meanLatency = (mean: string) => `Average latency ${mean} (all I/O)`
export const noneYet = (noun: string) => `No ${noun}s yet`
export const noneDiagnosed = (things: string) => `No diagnosis for ${things}`
export const recoveredSuffix = (count: string, more: string) => `; ${count}${more} cleared in the last minutes`
export const noneElevated = (noun: string, cleared: string) => `No ${noun} has elevated latency${cleared}`
export const someElevated = (count: string, things: string, verb: string, cleared: string) =>
  `${count} of ${things} ${verb} elevated latency${cleared}`
export const excessIos = (count: string) => `${count} excess I/Os`
export const worst = '; worst: '
export const has = 'has'
export const have = 'have'
export const more = ' more'
export const host = 'host'
export const volume = 'volume'
export const dataQuality = (reasons: string) => `Data quality: ${reasons}`
export const recalculated = (count: string, minutes: string, clock: string) =>
  `${count} of ${minutes} recalculated with late samples, last at ${clock}.`
export const baseline = 'baseline'
export const notAnalyzed = 'Not analyzed yet'
export const elevated = 'Elevated'
export const high = 'High'
export const clearedAt = (clock: string) => `Cleared ${clock}`
export const limitedCounters = 'limited counters'
export const confirmedMeaning = 'Confidence of the layer: even the lower bound of its excess makes it the largest.'
export const likelyMeaning =
  'Confidence of the layer: its estimate is the largest, but its range overlaps that of another layer.'
export const inconclusiveMeaning = 'Confidence of the layer: the counters cannot separate two layers.'
export const limitedCountersMeaning =
  'The counters have a resolution of 1 ms: too coarse to separate latency from baseline.'
export const or = ' or '
export const allIo = (sentence: string) => `All I/O: ${sentence}`
export const minute = 'minute'

/** The four layers of a diagnosis side by side. */

export const title = 'Layer scoreboard'
export const cause = 'Cause'
export const possible = 'Possible cause'
export const elevated = 'Elevated'
export const normal = 'Normal'
export const notTheCause = 'Not the cause'
export const notMeasured = 'Not measured'
export const deltaRange = (lower: string, upper: string) => `difference to the baseline, range ${lower} to ${upper}`
export const baseline = (latency: string) => `baseline ${latency}`
export const seenOnly = (noun: string) => `outside this ${noun}`
export const seenOnlyHint = (noun: string) => `Latency of these I/Os outside this ${noun}, shown for comparison.`
export const notSeparableFrom = (layers: string) => `not separable from ${layers}`
export const plus = ' + '
export const causeMeaning = 'The diagnosis names this layer.'
export const possibleMeaning = 'The counters cannot separate this layer from another one.'
export const elevatedMeaning = 'Above the threshold, but another layer has the larger excess.'
export const normalMeaning = 'Below the threshold. Its range does not prove that it is not the cause.'
export const notTheCauseMeaning = 'Even the upper bound of its excess is below the threshold.'
export const notMeasuredMeaning = 'No counters of this layer in this window.'

/** Overview: environment, ranking, treemap. */

export const outstandingIo = 'Outstanding I/O'
export const outstandingHint = 'reads and writes, by most likely layer'
export const strengthLittle = '0–50 % above baseline'
export const strengthMuch = '50–200 %'
export const environment = 'Environment'
export const excessHint = 'sum over all datastores'
export const worst = 'Worst:'
export const byLayer = (count: string) => `Outstanding I/O by layer (${count})`
export const noOutstandingIo = 'No outstanding I/O'
export const notMeasured = 'Not measured in this window'
export const bySeverity = (objects: string) => `${objects} by severity`
export const overTimeSpoken = 'Outstanding I/O by layer over time in the environment; the ranking follows the cursor'
export const overTime = 'Outstanding I/O over time'
export const notAnalyzed = 'No analysis for this time range'
export const overTimeCsv = 'Outstanding I/O by layer'
export const perPoint = (step: string, zoom: string) => `one point per ${step}${zoom}`
export const overTimeTable = 'Outstanding I/O over time by layer'
export const and = 'and'
export const freshnessUnder = '; data freshness:'
export const byExcess = (objects: string) => `${objects} by excess outstanding I/O`
export const objectType = 'Object type'
export const filtersTooNarrow = 'No match for these filters. Clear one of them.'
export const noneYet = (noun: string) => `No ${noun}s yet`
export const noneYetText = 'Add arrays and vCenters under Sources; the first diagnosis follows about two minutes later.'
export const treemapSpoken = (objects: string) =>
  `${objects} by outstanding I/O and dominant layer; same data as the ranking`
export const treemap = (object: string) => `Outstanding I/O by ${object}`
export const nothingMeasured = 'No object in the ranking has outstanding I/O in this window.'
export const treemapCsv = (objects: string) => `Outstanding I/O of ${objects}`
export const byArray = ', by array'
export const topOf = (shown: number, total: string) => `. Top ${shown} of ${total}`
export const treemapHint = (grouping: string, limit: string) =>
  `Size: outstanding I/O${grouping}. Color: dominant layer${limit}`
export const treemapTable = (objects: string) => `Outstanding I/O of ${objects}`
export const csvOutstanding = 'outstanding I/O'
export const csvLatency = 'latency (µs)'
export const csvExcess = 'excess latency (µs)'
export const csvExcessOutstanding = 'excess outstanding I/O'
export const severity = 'Severity'
export const breakdown = 'Breakdown'
export const lastHour = 'Last hour'
export const lastHourRange = (least: string, most: string) => `Latency over the last hour: ${least} to ${most}`
export const excessOutstanding = 'Excess OIO'
export const dataQuality = 'Quality'
export const noArray = 'without array'
export const excessOutstandingIo = (count: string) => `Excess outstanding I/O (OIO): ${count}`
export const clearedRecently = (count: string) => `${count} cleared in the last minutes`
export const atCursor = (clock: string) => `at ${clock} (cursor)`
export const loadedUnder = 'Inventory loaded so far:'
export const strengthMost = '>200 %'

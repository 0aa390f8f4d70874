/** Chart chrome: legends, tools, tables of numbers. */

export const writesSuffix = ', writes'
export const aSetting = 'a setting'
export const provenance = (sources: string, counter: string, step: string) =>
  `${sources} · ${counter} · resolution ${step}`
export const gap = (reason: string) => `Gap: ${reason}`
export const dragToZoom = ' · drag to zoom'
export const savePng = 'Save as PNG'
export const series = 'Chart series'
export const legend = 'Legend'
export const showChart = 'Show as chart'
export const showTable = 'Show as table'
export const saveCsv = 'Save as CSV'
export const linkCopied = 'Link copied'
export const copyLink = 'Copy link to this window'

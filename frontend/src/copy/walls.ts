/** Wall displays. */

export const environmentNoun = 'the environment'
export const worst = (noun: string) => `Worst ${noun}s`
export const environmentByLayer = 'Environment by layer'
export const groupTitle = (label: string, value: string) => `${label}: ${value}`
export const groupNoun = 'the group'
export const groupByLayer = 'Group by layer'
export const emptyGroup = 'No VM is in this group.'
export const meanOver = (mean: string, minutes: number) => `${mean}, mean of ${minutes} min`
export const noOutstanding = '— outstanding I/Os'
export const outstanding = (count: string) => `${count} outstanding I/Os:`
export const contributorsNoun = 'top contributors'
export const noContributors = 'No contributors in this minute.'
export const contributorLine = (iops: string, count: string) => `${iops}, ${count} outstanding`
export const alertsUnknown = 'Alerts: —'
export const alertsNotAnalyzed = 'Alerts: not analyzed yet'
export const recovering = 'recovering'
export const attended = 'acknowledged or without data'
export const loading = (what: string) => `Loading ${what} …`
export const noDataYet = 'No data yet.'
export const sourcesUnknown = 'Sources: —'
export const documentTitle = 'Wall · Gavel'
export const turn = (at: number, count: number) => `${at} of ${count}`
export const noBoard = (names: string) => `No board ${names}`
export const boardNames =
  'Boards: environment, datastores, vms, hosts, volumes, arrays; each with an ID for one object (arrays-1); group:application%3Dfinance for the VMs of a group; rotate?boards=environment,arrays-1 for several in turn.'
export const openEnvironment = 'Open environment'
export const analyzedThrough = (clock: string, age: string) => `Analyzed through ${clock}, ${age}`
export const lastSample = (age: string) => `, last sample ${age}`
export const liveOf = (live: number, sources: string, age: string) => `${live} of ${sources} live${age}`
export const noSources = 'No sources yet: add an array and a vCenter under Sources on any other page.'
export const noneLive = 'No source is live. Sources on any other page shows the errors.'
export const notYet = 'No analysis for this time range. New sources need about two minutes.'
export const firing = (alerts: string) => `${alerts} firing:`
export const alert = 'alert'
export const source = 'source'
export const worstAlert = 'worst: '
export const since = (what: string, clock: string) => `${what} since ${clock}.`

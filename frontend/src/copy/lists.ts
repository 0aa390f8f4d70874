/** Lists of objects. */

export const filterByKind = (noun: string) => `Filter by ${noun} name`
export const filterByName = 'Filter by name'
export const matching = (count: string) => `${count} match the filters`
export const filtersTooNarrow = 'Nothing matches these filters. Clear one of them.'
export const openSources = 'Open sources'
export const noMatch = (noun: string) => `No matching ${noun}`
export const nothingLike = (search: string) => `Nothing matches “${search}”. Shorten or clear the filter.`
export const sortedBy = (column: string, isDescending: boolean) =>
  `${column}, ${isDescending ? 'highest first' : 'ascending'}`
export const sortOrder = 'Sort order'
export const customOrder = 'Custom order'
export const hostArrayLatency = (hosts: string, array: string) => `Hosts ${hosts}, array ${array}`
export const keyHosts = 'GAVG (guest latency): DAVG (device latency)'
export const keyArray = 'array'
export const keySan = 'SAN'
export const keyLabel = 'Host vs. array latency, by color'
export const keyResolution = 'within counter resolution'
export const diskLatency = 'Disk latency'
export const hostIops = 'Host IOPS'
export const arrayLatency = 'Array latency'
export const san = 'SAN'
export const arrayIops = (scope: string) => `Array IOPS${scope}`
export const hostVsArray = 'Host vs. array'
export const age = 'Age'
export const hostOrigin = (counter: string) => `${counter} over all hosts, mean of the last minute`
export const arrayOrigin = 'array counter, mean of the last minute'
export const noArrays = 'No arrays yet'
export const noArraysText = 'Arrays come from array sources. Add one under Sources.'
export const bothArrays = 'both arrays'
export const noDatastores = 'No datastores yet'
export const noDatastoresText =
  'Datastores come from vCenter. Add a vCenter under Sources; the inventory follows within a minute.'
export const noHosts = 'No hosts yet'
export const noHostsText = 'Hosts come from vCenter. Add a vCenter under Sources.'
export const noVms = 'No VMs yet'
export const noVmsText = 'VMs come from vCenter. Add a vCenter under Sources.'
export const noVolumes = 'No volumes yet'
export const noVolumesText = 'Volumes come from arrays. Add an array under Sources.'
export const loading = (noun: string) => `Loading ${noun}s …`
export const keyKernel = '+ KAVG (kernel latency)'
export const showAll = (count: string) => `Show all ${count}`
export const columns = 'Columns'
export const columnLeft = (column: string) => `Move ${column} left`
export const columnRight = (column: string) => `Move ${column} right`
export const columnMoved = (column: string, place: number, count: number) => `${column}: column ${place} of ${count}`
export const columnsReset = 'Reset'
export const columnsToLink = 'Add to link'
export const saveTable = 'Save as CSV'
export const savingTable = 'Reading all rows …'
export const saveFailed = (reason: string) => `CSV not saved: ${reason} Try again`
export const csvTitle = (objects: string, window: string) => `${objects}, ${window}`
export const csvLatency = (header: string) => `${header} (µs)`
export const lastSampleAt = 'Last sample (UTC)'

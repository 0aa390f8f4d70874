/** Filters of lists and of the overview. */

export const filters = 'Filters'
export const filtersSet = (count: number) => `Filters (${count})`
export const filterBy = (field: string) => `Filter by ${field}`
export const clearAll = 'Clear all'
export const clearOne = (field: string, value: string) => `Remove filter ${field}: ${value}`
export const chip = (field: string, value: string) => `${field}: ${value}`
export const active = 'Active filters'
export const anyValue = (field: string) => `Any ${field}`

export const severity = 'severity'
export const layer = 'layer'
export const owner = 'owner'
export const application = 'application'
export const label = 'tag'
export const labelHint = 'category=value, or part of a value'
export const vcenter = 'vCenter'
export const cluster = 'cluster'
export const array = 'array'
export const folder = 'folder'
export const ip = 'IP address'
export const source = 'source'

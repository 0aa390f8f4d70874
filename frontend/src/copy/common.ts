/** Words that several areas share: buttons, states, the five kinds of objects. */

export const close = 'Close'
export const copied = 'Copied'
export const total = 'Total'
export const range = (lower: string, upper: string) => `${lower}–${upper}`
export const read = 'Read'
export const write = 'Write'
export const iops = 'IOPS'
export const timeUtc = 'time (UTC)'
export const timeIn = (zone: string) => `Time (${zone})`
export const atCursor = (clock: string) => ` · at ${clock} (cursor)`
export const vm = 'VM'
export const host = 'Host'
export const rangeTitle = (lower: string, upper: string) => `Range ${lower}–${upper}`
export const latency = 'Latency'
export const vms = 'VMs'
export const hosts = 'Hosts'
export const rangeHeader = 'Range'
export const name = 'Name'
export const ms = 'ms'
export const layer = 'Layer'
export const loading = 'Loading …'
export const inRange = (range: string) => `range ${range}`
export const source = 'Source'
export const object = 'Object'
export const state = 'State'
export const type = 'Type'
export const volume = 'Volume'
export const array = 'Array'
export const datastore = 'Datastore'
export const none = 'none'
export const volumes = 'Volumes'
export const scrolls = (label: string) => `${label}, scrolls`
export const unknown = 'unknown'
export const removeFailed = 'Not removed'
export const cancel = 'Cancel'
export const remove = 'Remove'
export const actions = 'Actions'
export const test = 'Test'
export const editNamed = (name: string) => `Edit ${name}`
export const edit = 'Edit'
export const removeNamed = (name: string) => `Remove ${name}`
export const notSaved = 'Not saved'
export const add = 'Add'
export const save = 'Save'
export const andList = (first: string, last: string) => `${first} and ${last}`
export const addSource = 'Add source'
export const discardTitle = 'Discard changes?'
export const discardText = 'Your changes are not saved.'
export const keepEditing = 'Keep editing'
export const discard = 'Discard'

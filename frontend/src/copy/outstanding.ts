/** Outstanding I/O by layer and queues. */

export const againstDepth = 'against device queue depth'
export const allQueues = 'active and queued, all device queues'
export const busiestQueue = 'Busiest device queue'
export const singleQueue = 'one LUN on one host'
export const busiestQueueName = (host: string, device: string) => `Busiest device queue: ${host}, ${device}`
export const virtualDiskOio = 'Virtual disk OIO'
export const active = 'Active (ACTV)'
export const queued = 'Queued (QUED)'
export const queueDepth = 'Queue depth (DQLEN)'
export const busiestQueueLabel = (label: string) => `${label}, busiest queue`
export const title = 'Outstanding I/O'
export const hint = 'by layer, average over the window'
export const total = 'outstanding I/Os'
export const barLabel = (total: string, layers: string) => `${total} I/Os: ${layers}`
export const notPolled = 'Virtual disk OIO not collected.'
export const crossCheck = (count: string) => `Cross-check: virtual disk OIO ${count}.`
export const notMeasured = (layers: string) => ` Not measured, not included: ${layers}.`
export const none = 'No outstanding I/O'
export const csvTitle = (name: string) => `Outstanding I/O of ${name}`
export const csvVirtualDisks = 'reported by virtual disks'
export const tableLabel = 'Outstanding I/O by layer'
export const outstanding = 'Outstanding'
export const ofThese = (bounds: string) => `of these ${bounds}`

/** Words beside numbers and times. */

export const stale = 'Stale: '
export const lastSample = 'Last sample'
export const neverMeasured = 'never measured'
export const ago = (age: string) => `${age} ago`
export const noIo = 'no I/O'
export const resolution = (step: string) => `resolution ${step}`
export const liveSpan = 'Live · last 5 min'
export const lastHour = 'Last hour'
export const lastSpan = (count: number, unit: string) => `Last ${count} ${unit}`
export const poweredOn = 'powered on'
export const poweredOff = 'powered off'
export const window = (day: string, from: string, endDay: string, to: string, zone: string) =>
  `${day}, ${from} to ${endDay}${to} ${zone}`
export const justNow = 'just now'
export const notMeasured = 'not measured'
export const delayed = 'Delayed: '
export const minutes = 'minutes'
export const hours = 'hours'
export const days = 'days'

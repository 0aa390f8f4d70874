/** What the search box finds besides objects. */

export const pageHit = 'Page'
export const actionHit = 'Action'
export const settingHit = 'Setting of this browser'
export const setting = (name: string, value: string) => `${name}: ${value}`
export const ownZone = 'Your zone'
export const rangeHit = 'Time range'

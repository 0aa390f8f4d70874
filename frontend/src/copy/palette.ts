/** What the search box finds besides objects. */

export const pageHit = 'Page'
export const rangeHit = 'Time range'

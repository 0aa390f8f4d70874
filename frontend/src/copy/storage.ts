/** What is kept, for how long, and the disk that it takes. */

export const title = 'Stored data'
export const summary = (size: string, full: string | null) => (full === null ? size : `${size}, ${full} when full`)
export const grain = 'Data'
export const grains = {
  samples: 'Samples',
  leaf_minutes: 'Minutes, disks and devices',
  minutes: 'Minutes, other objects',
  five_minutes: '5-minute sums',
  hours: 'Hourly sums',
}
export const keptFor = 'Kept for'
export const setting = 'Setting'
export const byDefault = 'default'
export const days = (count: string) => `${count} days`
export const day = '1 day'
export const size = 'Size'
export const growth = 'Growth per day'
export const full = 'Size when full'
export const oldest = 'Oldest data'
export const noneYet = 'none yet'
export const firstDay = 'after one day'

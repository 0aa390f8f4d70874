/** The cause of an excess: object, binding limit, proof, what changed, and candidates where no single one is the cause. */

export const region = 'Cause in numbers'
export const lead = (confidence: string) => `Cause (${confidence}): `
export const confirmed = 'confirmed'
export const likely = 'likely'
export const confirmedLabel = 'Confirmed'
export const likelyLabel = 'Likely'
export const confirmedMeaning =
  'Confidence of the cause: a counter of its own shows the limit, it binds in the elevated minutes and not in the normal ones before.'
export const likelyMeaning =
  'Confidence of the cause: no counter of its own shows it, or there are no normal minutes before to compare with.'
export const object = 'Object'
export const at = 'Where'
export const more = (count: string) => `and ${count} more`
export const share = 'Share'
export const shareOf = (share: string, whole: string) => `${share} of ${whole}`
export const limit = 'Limit'
export const usedOf = (used: string, limit: string) => `${used} of ${limit}`
export const setWhere = (place: string) => `Set in ${place}`
export const evidence = 'Measured'
export const derived = (value: string) => `≈ ${value}`
export const derivedHint = '≈ calculated from IOPS × latency, not a counter'
export const withRange = (value: string, range: string) => `${value} (${range})`
export const from = (lower: string) => `≥ ${lower}`
export const upTo = (upper: string) => `≤ ${upper}`
export const proof = 'Proof'
export const binds = (binding: string, minutes: string) => `Binds in ${binding} of ${minutes}`
export const bindsBefore = (binding: string, minutes: string) => `, in ${binding} of ${minutes} before`
export const noNormal = ', no normal minutes before to compare with'
export const elevatedMinute = 'elevated minute'
export const normalMinute = 'normal minute'
export const changed = 'Change'
export const changedAt = (clock: string, object: string) => `${clock}, ${object}: `
export const change = (label: string, before: string, after: string) => `${label} ${before} → ${after}`
export const added = (share: string) => `, ${share} of the added I/O time`
export const candidates = 'Possible causes'
export const weight = (share: string) => `${share} of the layer’s I/O time`
export const needs = (what: string) => `To confirm: ${what}`
export const bytes = (count: string) => `${count} B`
export const kib = (count: string) => `${count} KiB`

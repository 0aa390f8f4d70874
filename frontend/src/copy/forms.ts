/** Forms made from schemas. */

export const nameRequired = 'Name is required.'
export const moreSettings = 'More settings'
export const invalidSetting = 'One of them is invalid.'
export const defaultsFit = 'Optional: defaults fit most.'
export const stored = 'stored; leave empty to keep'
export const onePerLine = 'One per line.'
export const unknownType = (name: string, type: string) => `The form cannot show the setting "${name}" (type ${type}).`
export const missingReference = (reference: string) => `The form's schema refers to ${reference}, which is missing.`
export const required = (field: string) => `${field} is required.`
export const listRequired = (field: string) => `${field}: enter at least one.`
export const tooShort = (field: string, count: number) => `${field} has at least ${count} characters.`
export const tooLong = (field: string, count: number) => `${field} has at most ${count} characters.`
export const number = (field: string, whole: string) => `${field} is a ${whole}number.`
export const atLeast = (field: string, limit: number) => `${field} is at least ${limit}.`
export const atMost = (field: string, limit: number) => `${field} is at most ${limit}.`
export const whole = 'whole '

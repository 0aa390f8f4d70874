/** Values that filters offer while one types. */

export const partHint = 'part, or =exact value'
export const offered = (field: string) => `Values of ${field}`
export const valueNoun = 'value'
export const noneOffered = 'No matching value'
export const notOffered = (problem: string) => `No values: ${problem}`
export const refine = (shown: string, total: string) => `${shown} of ${total} values. Type more to refine.`
/** What is asked for, as failures name it. */
export const request = 'the values of a filter'

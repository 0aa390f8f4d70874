/** What is wrong with an address. */

export const title = 'Address not fully understood'
export const unknown = (parameter: string) => `This page has no parameter ${parameter}.`
export const invalid = (parameter: string, takes: string) => `${parameter} is not shown: it takes ${takes}.`
export const ranges = 'Time ranges are written last=7d, or from=…Z&to=…Z in UTC.'
export const remove = 'Remove from address'
export const takesText = (letters: number) => `up to ${letters} characters`
export const takesNumber = 'a number'
export const takesInstant = 'a time such as 2026-11-20T14:05:00Z, -3h or now'
export const takesBoth = 'effect only with both from and to'
export const takesLaterEnd = 'a time at least a minute after from'
export const takesOneRange = 'effect only without from and to'

/** Offline environments: the note of their pages. */

export const noteTitle = (name: string) => `Offline environment: ${name}`
export const noteText = (window: string, files: string) => `${window}, from ${files}. Not live; nothing can be changed.`
export const openLive = 'Live Gavel'

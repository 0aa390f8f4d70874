/** Offline environments: their pages' note, and their list. */

export const noteTitle = (name: string) => `Offline environment: ${name}`
export const noteText = (window: string, files: string) => `${window}, from ${files}. Not live; nothing can be changed.`
export const openLive = 'Live Gavel'

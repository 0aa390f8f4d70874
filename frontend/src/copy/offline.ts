/** Offline environments: their pages' note, and their list. */

export const noteTitle = (name: string) => `Offline environment: ${name}`
export const noteText = (window: string, files: string) => `${window}, from ${files}. Not live; nothing can be changed.`
export const openLive = 'Live Gavel'
export const title = 'Offline environments'
export const environment = 'environment'
export const empty = 'No offline environments'
export const emptyText =
  'esxtop captures, also of a site without access to its vCenter, become an environment to look at: gavel offline add NAME FILE…'
export const open = 'Open'
export const openNamed = (name: string) => `Open ${name}`
export const from = (files: string) => `From ${files}`
export const remove = 'Remove'
export const removeNamed = (name: string) => `Remove ${name}`
export const removeTitle = 'Remove offline environment'
export const removeText =
  'Everything in it is deleted, for good. Its files stay where they are, and the live environment does not change.'

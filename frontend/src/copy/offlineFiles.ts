/** Offline environments that are made from files: their list, and those on their way. */

export const title = 'Offline environments'
export const environment = 'environment'
export const empty = 'No offline environments'
export const emptyText =
  'esxtop captures, also of a site without access to its vCenter, become an environment to look at. Upload them here, or: gavel offline add NAME FILE…'
export const open = 'Open'
export const openNamed = (name: string) => `Open ${name}`
export const from = (files: string) => `From ${files}`
export const remove = 'Remove'
export const removeNamed = (name: string) => `Remove ${name}`
export const removeTitle = 'Remove offline environment'
export const removeBuildText = 'The environment will not be made. Its uploaded files are deleted; imports stay.'
export const add = 'New environment'
export const addTitle = 'New offline environment'
export const openImported = 'Open as offline environment'
export const openImportedNamed = (file: string) => `Open ${file} as offline environment`
export const suggested =
  'It can be opened as an offline environment, which needs neither its host in the inventory nor stored samples.'
export const openFiles = 'Files of another site or an older time:'
export const nameHint = 'Lower-case letters, digits and hyphens; part of its address'
export const captures = 'esxtop captures'
export const capturesHint = 'One or several hosts of one site (CSV, gzip, or a zip of one), made with esxtop -b -a'
export const imported = (file: string) => `From ${file}, which is imported already`
export const exports = 'Array exports'
export const exportsHint = 'Optional, of the same time: gavel export array NAME FILE'
export const choose = 'Choose files'
export const offset = 'UTC offset'
export const offsetHint = 'Used only for captures that name no time zone'
export const offsetOfFile = 'As in the file'
export const make = 'Make environment'
export const notMade = 'Environment not made'
export const builds = 'Environments in progress'
export const states = { uploading: 'Uploading', waiting: 'Waiting', making: 'Making', failed: 'Failed' } as const
export const uploaded = (done: string, size: string) => `${done} of ${size} uploaded`
export const fileRead = (done: string, size: string) => `${done} of ${size} read`
export const interrupted = 'To resume an interrupted upload, enter the same name and choose the same files.'
export const mayClose = 'You can close this window. Keep the page open until the upload is done.'
export const madeAway = (name: string) => `${name} is ready.`
export const removeText =
  'Everything in it is deleted, for good. Its files stay where they are, and the live environment does not change.'

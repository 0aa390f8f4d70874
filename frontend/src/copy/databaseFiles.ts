/** Files of databases: how long the database waited, beside the guest's disk. */

export const title = 'Database files'
export const hint = 'mean per I/O over the charts’ time range, as SQL Server and its guest measured it'
export const empty = 'No database files'
export const emptyText =
  'Files of SQL Server appear once Telegraf pushes inputs.sqlserver, and their disks with inputs.win_perf_counters (Sources, Add guests).'
export const table = 'Database files'
export const scrolls = 'Database files, scrolls'
export const file = 'File'
export const ios = 'I/Os'
export const iops = 'IOPS'
export const database = 'Database'
export const guestDisk = 'Guest disk'
export const diskName = 'Disk'
export const directions = { read: 'Reads', write: 'Writes' } as const
const PER = { read: 'read', write: 'write' } as const
export type Direction = keyof typeof directions
export const waited = (direction: Direction, database: string, disk: string | null) =>
  disk === null
    ? `The database waited ${database} per ${PER[direction]}.`
    : `The database waited ${database} per ${PER[direction]}, the guest’s disk ${disk}.`
export const idle = 'No reading in this time range.'
export const noDisk = 'not tied to a disk'
export const noDiskHint = 'The path has no drive letter that one disk of this guest pushes.'
export const virtualDisk = (disk: string, virtual: string) => `${disk} · ${virtual}`
export const meaning =
  'Database: from the request of SQL Server to its completion, so guest, kernel, SAN and array are in it, and waits in SQL Server itself. It is no layer.'

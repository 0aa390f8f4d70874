/** What a file's rows and sentences say. */

import type { DatabaseFile } from '../../../api/types'
import * as copy from '../../../copy/databaseFiles'
import { formatLatency } from '../../../lib/units'

export interface WaitRow {
  direction: copy.Direction
  iops: number | null
  database_us: number | null
  disk_us: number | null
}

const DIRECTIONS = ['read', 'write'] as const

/** Reads, then writes, measured or not. */
export function rowsOf({ ios, disk }: Pick<DatabaseFile, 'ios' | 'disk'>): WaitRow[] {
  return DIRECTIONS.map((direction) => {
    const own = ios.find((io) => io.direction === direction)
    const below = disk?.ios.find((io) => io.direction === direction)
    return {
      direction,
      iops: own?.iops ?? null,
      database_us: own?.latency_us ?? null,
      disk_us: below?.latency_us ?? null,
    }
  })
}

/** One for each direction that had I/O. */
export function sentencesOf(file: Pick<DatabaseFile, 'ios' | 'disk'>): string[] {
  if (file.ios.length === 0) return [copy.idle]
  return rowsOf(file).flatMap(({ direction, database_us, disk_us }) =>
    database_us === null
      ? []
      : [copy.waited(direction, formatLatency(database_us), disk_us === null ? null : formatLatency(disk_us))],
  )
}

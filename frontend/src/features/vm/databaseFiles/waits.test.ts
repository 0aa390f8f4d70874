import { describe, expect, it } from 'vitest'
import type { DatabaseFile } from '../../../api/types'
import { rowsOf, sentencesOf } from './waits'

const file = (read_us: number | null, disk_us: number | null): Pick<DatabaseFile, 'ios' | 'disk'> => ({
  ios: [
    { direction: 'read', iops: 820, latency_us: read_us },
    { direction: 'write', iops: 0, latency_us: null },
  ],
  disk:
    disk_us === null
      ? null
      : {
          id: 4,
          name: 'PhysicalDisk 1',
          is_whole: true,
          vm_disk_id: 12,
          vm_disk_label: 'Hard disk 2',
          ios: [{ direction: 'read', iops: 835, latency_us: disk_us }],
        },
})

describe('waits of database files', () => {
  it('stand beside the latency of the guest’s disk, in words', () => {
    expect(sentencesOf(file(9800, 2100))).toEqual(['The database waited 9.80 ms per read, the guest’s disk 2.10 ms.'])
    expect(rowsOf(file(9800, 2100))).toEqual([
      { direction: 'read', iops: 820, database_us: 9800, disk_us: 2100 },
      { direction: 'write', iops: 0, database_us: null, disk_us: null },
    ])
  })

  it('are said alone where no disk is tied, and not at all without I/O', () => {
    expect(sentencesOf(file(9800, null))).toEqual(['The database waited 9.80 ms per read.'])
    expect(sentencesOf(file(null, 2100))).toEqual([])
    expect(sentencesOf({ ios: [], disk: null })).toEqual(['No reading in this time range.'])
  })
})

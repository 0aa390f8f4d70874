import { useMemo } from 'react'
import type { VolumeRow } from '../../api/types'
import { niceMax } from '../../charts/panels'
import { VirtualTable } from '../table/VirtualTable'
import { arrayLatencyUs } from './sides'
import { volumeColumns } from './volumeColumns'

/** A few volumes with the newest numbers of both sides. */
export function VolumesTable({ volumes, label }: { volumes: readonly VolumeRow[]; label: string }) {
  const columns = useMemo(() => {
    const latencies = volumes.flatMap(({ newest }) => [newest.host_gavg_us ?? 0, arrayLatencyUs(newest) ?? 0])
    return volumeColumns(niceMax(Math.max(0, ...latencies)))
  }, [volumes])
  return <VirtualTable label={label} columns={columns} count={volumes.length} rowAt={(index) => volumes[index]} />
}

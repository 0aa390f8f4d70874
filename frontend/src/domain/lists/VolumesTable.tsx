import { useMemo } from 'react'
import type { VolumeRow } from '../../api/types'
import { niceMax } from '../../charts/panels'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { mostUs } from './sides'
import { partColumns, settingsOnly, volumeColumns } from './volumeColumns'

const PART_PX = 76

interface VolumesTableProps {
  volumes: readonly VolumeRow[]
  label: string
  /** With the counters of the last minute. */
  isLive: boolean
}

/** A few volumes, with what both sides counted in the last minute. */
export function VolumesTable({ volumes, label, isLive }: VolumesTableProps) {
  const columns = useMemo(() => {
    const latencies = volumes.map(({ newest }) => mostUs(newest))
    const columns = besideColumns(niceMax(Math.max(0, ...latencies)))
    return isLive ? columns : settingsOnly(columns)
  }, [volumes, isLive])
  return <VirtualTable label={label} columns={columns} count={volumes.length} rowAt={(index) => volumes[index]} />
}

/** The page is that of the datastore or of the volume's twin: it need not be named in every row, and its parts stand behind its time. */
export function besideColumns(max_us: number): Column<VolumeRow>[] {
  const columns = volumeColumns(max_us).filter(({ id }) => id !== 'datastores')
  const at = columns.findIndex(({ id }) => id === 'array') + 1
  return [...columns.slice(0, at), ...partColumns(PART_PX), ...columns.slice(at)]
}

import { useMemo } from 'react'
import type { VolumeRow } from '../../api/types'
import { niceMax } from '../../charts/panels'
import { TOLD_PX } from '../../kit/table/Told'
import { type Column, VirtualTable } from '../../kit/table/VirtualTable'
import { mostUs } from './sides'
import { partColumns, volumeColumns } from './volumeColumns'

const PART_PX = 76

/** A few volumes with the newest numbers of both sides. */
export function VolumesTable({ volumes, label }: { volumes: readonly VolumeRow[]; label: string }) {
  const columns = useMemo(() => {
    const latencies = volumes.map(({ newest }) => mostUs(newest))
    return besideColumns(niceMax(Math.max(0, ...latencies)))
  }, [volumes])
  return (
    <VirtualTable
      label={label}
      columns={columns}
      count={volumes.length}
      rowAt={(index) => volumes[index]}
      narrowRowPx={TOLD_PX}
      wraps="on phones"
    />
  )
}

/** The page is that of the datastore or of the volume's twin: it need not be named in every row, and its parts stand behind its time. */
export function besideColumns(max_us: number): Column<VolumeRow>[] {
  const columns = volumeColumns(max_us).filter(({ id }) => id !== 'datastores')
  const at = columns.findIndex(({ id }) => id === 'array') + 1
  return [...columns.slice(0, at), ...partColumns(PART_PX), ...columns.slice(at)]
}

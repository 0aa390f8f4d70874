import { useMemo } from 'react'
import type { VolumeRow } from '../../api/types'
import { niceMax } from '../../charts/panels'
import { VirtualTable } from '../table/VirtualTable'
import { mostUs } from './sides'
import { volumeColumns } from './volumeColumns'

/** A few volumes with the newest numbers of both sides. */
export function VolumesTable({ volumes, label }: { volumes: readonly VolumeRow[]; label: string }) {
  const columns = useMemo(() => {
    const latencies = volumes.map(({ newest }) => mostUs(newest))
    // The page is that of the datastore or of the volume's twin: it need not be named in every row.
    return volumeColumns(niceMax(Math.max(0, ...latencies))).filter(({ id }) => id !== 'datastores')
  }, [volumes])
  return <VirtualTable label={label} columns={columns} count={volumes.length} rowAt={(index) => volumes[index]} />
}

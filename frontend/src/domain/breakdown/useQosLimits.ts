/** The QoS limit of the one volume that something lies on, as a line over its I/O rates. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { EntityKind } from '../../api/queries'
import { oneQuery } from '../../api/queries'
import type { VolumeRow } from '../../api/types'
import type { ChartLimit } from '../../charts/limits'
import * as breakdownCopy from '../../copy/breakdown'
import { formatIops } from '../../lib/units'

type Limited = Pick<VolumeRow, 'qos_iops_limit'>

export function useQosLimits(kind: EntityKind, id: number): readonly ChartLimit[] {
  const datastore = useQuery({ ...oneQuery('datastores', id), enabled: kind === 'datastores' })
  const volume = useQuery({ ...oneQuery('volumes', id), enabled: kind === 'volumes' })
  const on = kind === 'datastores' ? datastore.data?.volumes : kind === 'volumes' && volume.data ? [volume.data] : []
  const limit = qosLimitOf(on ?? [])
  return useMemo(() => limitLines(limit), [limit])
}

/** Of several volumes none is the limit of what lies on them all. */
export const qosLimitOf = (volumes: readonly Limited[]): number | null =>
  volumes.length === 1 ? (volumes[0]?.qos_iops_limit ?? null) : null

export const limitLines = (limit: number | null): ChartLimit[] =>
  limit === null ? [] : [{ panel: 'iops', value: limit, label: breakdownCopy.qosLimit(formatIops(limit)) }]

/** Open alerts that bear a name which no array has any more: whether what they are about lies on an array is asked by number. */

import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { alertsNowQuery } from '../../api/alerts'
import { listQuery, oneQuery } from '../../api/queries'
import type { AlertOut } from '../../api/types'
import { formerlyNamed } from './standing'

const NONE: readonly AlertOut[] = []
const ALL_ARRAYS = { search: '', sort: 'name', source: null }

/** Numbers of the alerts; none where `array_id` is null. */
export function useFormerlyNamed(array_id: number | null): ReadonlySet<number> {
  const now = useQuery({ ...alertsNowQuery(), enabled: array_id !== null }).data
  const alerts = useMemo(() => (now === undefined ? NONE : [...now.alerts, ...now.pending]), [now])
  const hasLabels = alerts.some(({ labels }) => labels.array !== undefined)
  const arrays = useQuery({ ...listQuery('arrays', ALL_ARRAYS, 0), enabled: array_id !== null && hasLabels }).data
  const asked = useMemo(() => {
    // Of arrays beyond the first page the names are not known: nothing is said to be a former one then.
    const isWhole = arrays !== undefined && arrays.items.length === arrays.total
    return isWhole ? formerlyNamed(alerts, new Set(arrays.items.map(({ name }) => name))) : NONE
  }, [alerts, arrays])
  const idsOf = (kind: 'datastore' | 'volume') => [
    ...new Set(asked.filter(({ subject }) => subject.kind === kind).map(({ subject }) => subject.id)),
  ]
  const datastores = useQueries({ queries: idsOf('datastore').map((id) => oneQuery('datastores', id)) })
  const volumes = useQueries({ queries: idsOf('volume').map((id) => oneQuery('volumes', id)) })
  const onIt = new Set([
    ...datastores.flatMap(({ data }) =>
      data?.volumes.some(({ array }) => array.id === array_id) ? [`datastore.${data.id}`] : [],
    ),
    ...volumes.flatMap(({ data }) => (data?.array.id === array_id ? [`volume.${data.id}`] : [])),
  ])
  return new Set(asked.filter(({ subject }) => onIt.has(`${subject.kind}.${subject.id}`)).map(({ id }) => id))
}

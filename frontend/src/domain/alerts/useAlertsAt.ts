/** Open alerts by what they are about, for lists of things. */

import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { alertsNowQuery } from '../../api/alerts'
import type { AlertOut } from '../../api/types'
import type { Thing } from './standing'

const NONE: readonly AlertOut[] = []
const keyOf = ({ kind, id }: { kind: string; id: number }) => `${kind}-${id}`

/** Answers the open alerts of a thing, worst first. */
export function useAlertsAt(): (thing: Thing) => readonly AlertOut[] {
  const { data } = useQuery(alertsNowQuery())
  const byThing = useMemo(() => Map.groupBy(data?.alerts ?? NONE, ({ subject }) => keyOf(subject)), [data])
  return useCallback((thing) => byThing.get(keyOf(thing)) ?? NONE, [byThing])
}

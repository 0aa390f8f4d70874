/** What interrupted and what accompanied an object's window: gaps, and events with its alerts, as charts over time draw them. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { happenedQuery } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import { type ChartEvent, sourceEvent } from '../../charts/events'
import { type GapBand, gapBands } from '../../charts/panels'
import type { Range } from '../../lib/range'
import { useAlertEvents } from '../alerts/useAlertEvents'
import { subjectOf } from '../kinds'

interface Happened {
  events: readonly ChartEvent[]
  gaps: readonly GapBand[]
}

// The same nothing for every window: a chart is not drawn again for it.
const NONE: [] = []

/** Nothing of either while they are being read. */
export function useHappened(kind: EntityKind, id: number, name: string, range: Range): Happened {
  const found = useQuery(happenedQuery(kind, id, range))
  const alerts = useAlertEvents(range, { ...subjectOf(kind, id), name })
  const [missing, happened] = [found.data?.gaps ?? NONE, found.data?.events ?? NONE]
  const gaps = useMemo(() => (missing.length === 0 ? NONE : gapBands(missing)), [missing])
  const events = useMemo(
    () => (happened.length + alerts.length === 0 ? NONE : [...happened.map(sourceEvent), ...alerts]),
    [happened, alerts],
  )
  return { events, gaps }
}

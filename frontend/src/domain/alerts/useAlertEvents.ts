/** The alerts of a window as lines in its charts. Charts do not wait for them. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { alertsDuringQuery, lateQuery } from '../../api/alerts'
import type { AlertOut, LateOut } from '../../api/types'
import type { ChartEvent } from '../../charts/events'
import { serverNow } from '../../lib/clock'
import type { Range } from '../../lib/range'
import { askedFor, begunIn } from './late'
import { alertsOnArray, eventsOfAlerts, eventsOfLate } from './standing'

type Subject = AlertOut['subject']

const NONE: readonly AlertOut[] = []
const NONE_LATE: readonly LateOut[] = []
/** The same for every window: a chart is not drawn again for it. */
const NO_EVENTS: readonly ChartEvent[] = []

/** Of one thing; of an array what lies on it, too; null: of everything. */
export function useAlertsDuring(range: Range, of: Subject | null): readonly AlertOut[] {
  const isArray = of?.kind === 'array'
  const alerts = useQuery(alertsDuringQuery(range, isArray ? null : of)).data?.items ?? NONE
  const id = of?.id ?? 0
  return useMemo(() => (isArray ? alertsOnArray(alerts, id) : alerts), [alerts, isArray, id])
}

export function useAlertEvents(range: Range, of: Subject | null): readonly ChartEvent[] {
  const alerts = useAlertsDuring(range, of)
  const { from_ms, to_ms } = askedFor(range, serverNow())
  const late = useQuery(lateQuery({ kind: 'fixed', from_ms, to_ms }, of)).data ?? NONE_LATE
  const named = isAboutSeveral(of)
  return useMemo(() => {
    const begun = begunIn(late, { from_ms, to_ms })
    const events = [...eventsOfAlerts(alerts, named), ...eventsOfLate(begun, named)]
    return events.length === 0 ? NO_EVENTS : events
  }, [alerts, late, named, from_ms, to_ms])
}

/** Whether its charts have to name what an alert is about. */
export const isAboutSeveral = (of: Subject | null) => of === null || of.kind === 'array'

/** The alerts of a window as lines in its charts. Charts do not wait for them. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { alertsDuringQuery } from '../../api/alerts'
import type { AlertOut } from '../../api/types'
import type { ChartEvent } from '../../charts/events'
import type { Range } from '../../lib/range'
import { eventsOfAlerts } from './standing'

const NONE: readonly AlertOut[] = []

/** `of`: of this thing only; null: of everything, each with its name. */
export function useAlertsDuring(range: Range, of: { kind: AlertOut['subject']['kind']; id: number } | null) {
  return useQuery(alertsDuringQuery(range, of)).data?.items ?? NONE
}

export function useAlertEvents(
  range: Range,
  of: { kind: AlertOut['subject']['kind']; id: number } | null,
): readonly ChartEvent[] {
  const alerts = useAlertsDuring(range, of)
  const named = of === null
  return useMemo(() => eventsOfAlerts(alerts, named), [alerts, named])
}

/** The sections of the tab Events: what happened to the object in the range, and what is missing of it. */

import { useQuery } from '@tanstack/react-query'
import { happenedQuery } from '../../api/diagnoses'
import * as gapsCopy from '../../copy/gaps'
import * as sectionsCopy from '../../copy/sections'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { useTrend } from '../../lib/url'
import { useAlertsDuring } from '../alerts/useAlertEvents'
import { EventsCard, GapsTable } from '../counters/GapsCard'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { subjectOf } from '../kinds'
import type { SectionContext } from './section'

export function EventsSection({ kind, id, name }: SectionContext) {
  const trend = useTrend()
  const query = useQuery(happenedQuery(kind, id, trend))
  const alerts = useAlertsDuring(trend, { ...subjectOf(kind, id), name })
  return (
    <DataState query={query} skeleton={<CardSkeleton height={240} />}>
      {(happened) => <EventsCard happened={happened} alerts={alerts} />}
    </DataState>
  )
}

export function GapsSection({ kind, id }: SectionContext) {
  const query = useQuery(happenedQuery(kind, id, useTrend()))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={160} />}>
      {({ gaps }) => (
        <Card title={gapsCopy.title} hint={gapsCopy.hint} flush>
          {gaps.length > 0 ? (
            <GapsTable gaps={gaps} />
          ) : (
            <EmptyState title={gapsCopy.noGaps} text={sectionsCopy.noGapsText} />
          )}
        </Card>
      )}
    </DataState>
  )
}

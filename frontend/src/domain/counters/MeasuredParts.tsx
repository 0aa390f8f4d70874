/** The raw series of both sides with their parts and origins. Loaded where it is looked at. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type EntityKind, seriesQuery } from '../../api/queries'
import type { Series } from '../../api/types'
import { sourceEvent } from '../../charts/events'
import { isUnmeasured } from '../../charts/series'
import * as countersCopy from '../../copy/counters'
import { useCursorTime } from '../../kit/chart/useCursorTime'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState, type EmptyText } from '../../kit/state/DataState'
import { useTrend } from '../../lib/url'
import { eventsOfAlerts } from '../alerts/standing'
import { BothSidesChart } from './BothSidesChart'
import { OriginsCard } from './OriginsCard'
import { PartsCard } from './PartsCard'
import { chosenGroups, partKey } from './parts'
import { SeriesSkeleton } from './SeriesSkeleton'

const NOTHING: EmptyText = {
  title: countersCopy.noSamples,
  text: countersCopy.noSamplesText,
}

/** Asked only where it is looked at: it is a hundred times as much as everything above it. */
export function MeasuredParts({
  kind,
  id,
  ...props
}: Omit<MeasuredProps, 'series'> & { kind: EntityKind; id: number }) {
  const query = useQuery(seriesQuery(kind, id, useTrend()))
  return (
    <DataState query={query} skeleton={<SeriesSkeleton />}>
      {(series) => <Measured {...props} series={series} />}
    </DataState>
  )
}

interface MeasuredProps {
  name: string
  series: Series
  alerts: Parameters<typeof eventsOfAlerts>[0]
  /** Whether alerts name what they are about. */
  named: boolean
  part: string
  onPart: (part: string) => void
}

function Measured({ name, series, alerts, named, part, onPart }: MeasuredProps) {
  const at_ms = useCursorTime()
  const groups = useMemo(() => chosenGroups(series.groups, part), [series, part])
  const events = useMemo(
    () => [...series.events.map(sourceEvent), ...eventsOfAlerts(alerts, named)],
    [series.events, alerts, named],
  )
  const focus = series.groups.find((group) => partKey(group) === part)
  if (isUnmeasured(series.groups) && series.gaps.length === 0) {
    return (
      <Card title={countersCopy.latencyByBoundary}>
        <EmptyState {...NOTHING} />
      </Card>
    )
  }
  return (
    <>
      <BothSidesChart
        name={focus ? `${name}, ${focus.entity.name}` : name}
        series={series}
        groups={groups}
        events={events}
      />
      <PartsCard series={series} cursor={bucketAt(series, at_ms)} chosen={part} onChoose={onPart} />
      <OriginsCard series={series} groups={groups} />
    </>
  )
}

/** The bucket that holds an instant, whichever chart of the page is being read. */
function bucketAt({ times_ms, step_s }: Series, at_ms: number | null): number | null {
  if (at_ms === null) return null
  const index = Math.floor((at_ms - (times_ms[0] ?? 0)) / (step_s * 1000))
  return index >= 0 && index < times_ms.length ? index : null
}

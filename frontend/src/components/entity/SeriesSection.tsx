/** Below the proof: what was missing and what happened, and on request the raw series of both sides with their origins. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type EntityKind, seriesQuery } from '../../api/queries'
import type { Series, Sides } from '../../api/types'
import { sourceEvent } from '../../charts/events'
import { isUnmeasured } from '../../charts/series'
import { useRange, useSearchParameter } from '../../lib/url'
import { eventsOfAlerts } from '../alerts/standing'
import { isAboutSeveral, useAlertsDuring } from '../alerts/useAlertEvents'
import { Card } from '../Card'
import { BothSidesChart } from '../chart/BothSidesChart'
import { useCursorTime } from '../chart/useCursorTime'
import { DataState, EmptyState, type EmptyText } from '../DataState'
import { Fold, useFold } from '../Fold'
import { subjectOf } from '../verdict/subject'
import { GapsCard } from './GapsCard'
import { NewestNumbers } from './NewestNumbers'
import { OriginsCard } from './OriginsCard'
import { PartsCard } from './PartsCard'
import { chosenGroups, partKey } from './parts'
import { SeriesSkeleton } from './SeriesSkeleton'

interface SeriesSectionProps {
  kind: EntityKind
  id: number
  name: string
  newest: Sides
}

export function SeriesSection({ kind, id, name, newest }: SeriesSectionProps) {
  const [range] = useRange()
  const query = useQuery(seriesQuery(kind, id, range, 'none'))
  const subject = { ...subjectOf(kind, id), name }
  const alerts = useAlertsDuring(range, subject)
  const [isOpen, setOpen] = useFold('raw')
  // A link to one part shows it, whether it also says that the fold is open or not.
  const [part, setPart] = useSearchParameter('part', '')
  return (
    <>
      <DataState query={query} skeleton={null}>
        {(series) => <GapsCard series={series} alerts={alerts} />}
      </DataState>
      <Fold
        title="Raw series of both sides"
        hint="array and hosts as they told it, part by part, and where each number comes from"
        open={isOpen || part !== ''}
        onOpen={(open) => {
          if (!open && part !== '') setPart('', { replace: true })
          setOpen(open)
        }}
      >
        <NewestNumbers
          newest={newest}
          isVm={kind === 'vms'}
          others={kind === 'vms' || kind === 'hosts' ? 'all hosts' : ''}
        />
        <MeasuredParts {...{ kind, id, name, part, alerts }} onPart={setPart} named={isAboutSeveral(subject)} />
      </Fold>
    </>
  )
}

const NOTHING: EmptyText = {
  title: 'Nothing was measured in this window',
  text: 'Choose a later or a longer window. If the sources are new, the first numbers come within a minute and the last hour is read back.',
}

/** Asked only where it is looked at: it is a hundred times as much as everything above it. */
function MeasuredParts({ kind, id, ...props }: Omit<MeasuredProps, 'series'> & { kind: EntityKind; id: number }) {
  const [range] = useRange()
  const query = useQuery(seriesQuery(kind, id, range, 'parts'))
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
      <Card title="Latency of both sides">
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

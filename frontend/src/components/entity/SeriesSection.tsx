/** Both sides of one object over time: the chart, its parts at the cursor, where every number comes from, what is missing. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type EntityKind, seriesQuery } from '../../api/queries'
import type { Series } from '../../api/types'
import { isUnmeasured } from '../../charts/series'
import { useRange, useSearchParameter } from '../../lib/url'
import { Card } from '../Card'
import { BothSidesChart } from '../chart/BothSidesChart'
import { useCursorTime } from '../chart/useCursorTime'
import { DataState, EmptyState, type EmptyText } from '../DataState'
import { GapsCard } from './GapsCard'
import { OriginsCard } from './OriginsCard'
import { PartsCard } from './PartsCard'
import { chosenGroups, partKey } from './parts'
import { SeriesSkeleton } from './SeriesSkeleton'

interface SeriesSectionProps {
  kind: EntityKind
  id: number
  name: string
}

export function SeriesSection({ kind, id, name }: SeriesSectionProps) {
  const [range] = useRange()
  const query = useQuery(seriesQuery(kind, id, range))
  return (
    <DataState query={query} skeleton={<SeriesSkeleton />}>
      {(series) => <Measured name={name} series={series} />}
    </DataState>
  )
}

const NOTHING: EmptyText = {
  title: 'Nothing was measured in this window',
  text: 'Choose a later or a longer window. If the sources are new, the first numbers come within a minute and the last hour is read back.',
}

function Measured({ name, series }: { name: string; series: Series }) {
  const [part, setPart] = useSearchParameter('part', '')
  const at_ms = useCursorTime()
  const groups = useMemo(() => chosenGroups(series.groups, part), [series, part])
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
      <BothSidesChart name={focus ? `${name}, ${focus.entity.name}` : name} series={series} groups={groups} />
      <PartsCard series={series} cursor={bucketAt(series, at_ms)} chosen={part} onChoose={setPart} />
      <GapsCard series={series} />
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

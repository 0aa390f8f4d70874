/** Both sides of one object over time: the chart, its parts at the cursor, where every number comes from, what is missing. */

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type EntityKind, seriesQuery } from '../../api/queries'
import type { Series } from '../../api/types'
import { isUnmeasured } from '../../charts/series'
import { useRange, useSearchParameter } from '../../lib/url'
import { Card } from '../Card'
import { BothSidesChart } from '../chart/BothSidesChart'
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
  const [cursor, setCursor] = useState<number | null>(null)
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
      <BothSidesChart
        name={focus ? `${name}, ${focus.entity.name}` : name}
        series={series}
        groups={groups}
        onCursor={setCursor}
      />
      <PartsCard series={series} cursor={cursor} chosen={part} onChoose={setPart} />
      <GapsCard series={series} />
      <OriginsCard series={series} groups={groups} />
    </>
  )
}

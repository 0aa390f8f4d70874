/** The sections of the tab Path that objects of several kinds have: hops, outstanding I/Os by layer. */

import { useQuery } from '@tanstack/react-query'
import { type HoppingKind, hopsQuery, occupancyQuery } from '../../api/diagnoses'
import { DataState } from '../../kit/state/DataState'
import { OccupancyCard } from '../breakdown/OccupancyCard'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { useDiagnosis } from '../diagnosis/useDiagnosis'
import { HopsCard } from '../io-path/HopsCard'
import { namedLayers } from '../io-path/namedWords'
import type { SectionContext } from './section'

export function HopsSection({ kind, id, window }: SectionContext & { kind: HoppingKind }) {
  const query = useQuery(hopsQuery(kind, id, window))
  const diagnosis = useDiagnosis({ kind, id, window }).data
  return (
    <DataState query={query} skeleton={<CardSkeleton height={420} />}>
      {(hops) => (
        <HopsCard
          hops={hops}
          hasEnded={(diagnosis?.until_at ?? null) !== null}
          named={diagnosis === undefined ? [] : namedLayers(diagnosis)}
        />
      )}
    </DataState>
  )
}

export function OccupancySection({ kind, id, window }: SectionContext) {
  const query = useQuery(occupancyQuery(kind, id, window))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={300} />}>
      {(occupancy) => <OccupancyCard occupancy={occupancy} />}
    </DataState>
  )
}

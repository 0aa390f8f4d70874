/** Below the proof: what was missing and what happened, and on request the raw series of both sides with their origins. */

import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { type EntityKind, seriesQuery } from '../../api/queries'
import type { Sides } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import { Fold, useFold } from '../../kit/layout/Fold'
import { useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { useRange, useSearchParameter } from '../../lib/url'
import { isAboutSeveral, useAlertsDuring } from '../alerts/useAlertEvents'
import { subjectOf } from '../kinds'
import { GapsCard } from './GapsCard'
import { NewestNumbers } from './NewestNumbers'
import { SeriesSkeleton } from './SeriesSkeleton'

const loadParts = () => import('./MeasuredParts')
const MeasuredParts = lazy(loadParts)

interface SeriesSectionProps {
  kind: EntityKind
  id: number
  name: string
  newest: Sides
}

export function SeriesSection({ kind, id, name, newest }: SeriesSectionProps) {
  useAhead({ fetch: loadParts })
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
        title={countersCopy.rawCounters}
        hint={countersCopy.rawCountersHint}
        open={isOpen || part !== ''}
        onOpen={(open) => {
          if (!open && part !== '') setPart('', { replace: true })
          setOpen(open)
        }}
      >
        <NewestNumbers
          newest={newest}
          isVm={kind === 'vms'}
          others={kind === 'vms' || kind === 'hosts' ? countersCopy.allHosts : ''}
        />
        <Suspense
          fallback={
            <div aria-busy="true">
              <SeriesSkeleton />
            </div>
          }
        >
          <MeasuredParts {...{ kind, id, name, part, alerts }} onPart={setPart} named={isAboutSeveral(subject)} />
        </Suspense>
      </Fold>
    </>
  )
}

/** The sections of the tab Counters: what the diagnosis rests on, and the raw counters of both sides with their origins. */

import { useQuery } from '@tanstack/react-query'
import { deltasQuery } from '../../api/diagnoses'
import * as countersCopy from '../../copy/counters'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { useParameter, useTrend } from '../../lib/url'
import { isAboutSeveral, useAlertsDuring } from '../alerts/useAlertEvents'
import { DeltasCard } from '../counters/DeltasCard'
import { EvidenceCard } from '../counters/EvidenceCard'
import { MeasuredParts } from '../counters/MeasuredParts'
import { NewestNumbers } from '../counters/NewestNumbers'
import { DetailsCard } from '../diagnosis/DetailsCard'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { useDiagnosis } from '../diagnosis/useDiagnosis'
import { subjectOf } from '../kinds'
import { PART } from '../parameters'
import type { SectionContext } from './section'

export function DetailsSection({ kind, id, window }: SectionContext) {
  const query = useDiagnosis({ kind, id, window })
  return (
    <DataState query={query} skeleton={<CardSkeleton height={220} />}>
      {(diagnosis) => <DetailsCard diagnosis={diagnosis} />}
    </DataState>
  )
}

export function EvidenceSection({ kind, id, window }: SectionContext) {
  const query = useDiagnosis({ kind, id, window })
  return (
    <DataState query={query} skeleton={<CardSkeleton height={600} />}>
      {({ evidence }) => <EvidenceCard evidence={evidence} />}
    </DataState>
  )
}

export function DeltasSection({ kind, id, window }: SectionContext) {
  const query = useQuery(deltasQuery(id, window))
  const diagnosis = useDiagnosis({ kind, id, window }).data
  const isCalm = diagnosis === undefined || diagnosis.layer === null || diagnosis.until_at !== null
  return (
    <DataState query={query} skeleton={<CardSkeleton height={300} />}>
      {(deltas) => <DeltasCard deltas={deltas} isCalm={isCalm} />}
    </DataState>
  )
}

export function LastMinuteSection({ kind, one }: SectionContext) {
  const isShared = kind === 'vms' || kind === 'hosts'
  return (
    <Card title={countersCopy.lastMinute}>
      <NewestNumbers newest={one.newest} isVm={kind === 'vms'} others={isShared ? countersCopy.allHosts : ''} />
    </Card>
  )
}

/** Asked for on this tab only: it is a hundred times as much as all other sections. */
export function RawSection({ kind, id, name }: SectionContext) {
  const trend = useTrend()
  const subject = { ...subjectOf(kind, id), name }
  const alerts = useAlertsDuring(trend, subject)
  const [part, setPart] = useParameter(PART)
  return <MeasuredParts {...{ kind, id, name, part, alerts }} onPart={setPart} named={isAboutSeveral(subject)} />
}

export { PortsOverTimeSection, WholeArraySection } from '../counters/ArrayTraffic'

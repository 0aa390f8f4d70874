import { DataState } from '../../kit/state/DataState'
import { useRange } from '../../lib/url'
import type { SectionContext } from '../sections/section'
import { DiagnosisCard } from './DiagnosisCard'
import { DiagnosisSkeleton } from './Skeletons'
import { useDiagnosis } from './useDiagnosis'

/** Whose latency it is, in a sentence: what an object's page answers first. */
export function DiagnosisSection({ kind, id, window }: SectionContext) {
  const [range] = useRange()
  return (
    <DataState query={useDiagnosis({ kind, id, window })} skeleton={<DiagnosisSkeleton />}>
      {(diagnosis) => <DiagnosisCard diagnosis={diagnosis} isMoving={range.kind === 'last'} />}
    </DataState>
  )
}

import { DataState } from '../../kit/state/DataState'
import { useRange } from '../../lib/url'
import { Scoreboard } from '../scoreboard/Scoreboard'
import type { SectionContext } from '../sections/section'
import { DiagnosisCard } from './DiagnosisCard'
import { CardSkeleton, DiagnosisSkeleton } from './Skeletons'
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

/** Which layer is the cause, and which are proven not to be. Nothing where there is no diagnosis. */
export function ScoreboardSection({ kind, id, window }: SectionContext) {
  return (
    <DataState query={useDiagnosis({ kind, id, window })} skeleton={<CardSkeleton height={98} />}>
      {(diagnosis) => diagnosis.state === 'judged' && <Scoreboard diagnosis={diagnosis} />}
    </DataState>
  )
}

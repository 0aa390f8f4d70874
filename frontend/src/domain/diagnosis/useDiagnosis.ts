import { useQuery } from '@tanstack/react-query'
import { type DiagnosisWindow, diagnosisQuery } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'

interface Diagnosed {
  kind: EntityKind
  id: number
  window: DiagnosisWindow
}

/** Of one object and window: however many sections of a page ask, it is fetched once. */
export const useDiagnosis = ({ kind, id, window }: Diagnosed) => useQuery(diagnosisQuery(kind, id, window))

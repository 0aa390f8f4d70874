import { useMemo } from 'react'
import type { DiagnosisWindow } from '../../api/diagnoses'
import { diagnosedRange } from '../../lib/range'
import { useRange } from '../../lib/url'

/** What a page's diagnosis is about: its range; null: the newest minutes. */
export function useDiagnosisWindow(): DiagnosisWindow {
  const [range] = useRange()
  return useMemo(() => diagnosedRange(range), [range])
}

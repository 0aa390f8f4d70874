/** What the ranking shows, kept in the URL, and the ways to change it. */

import { useMemo } from 'react'
import { useDiagnosisWindow } from '../../domain/diagnosis/SpanSwitch'
import { useSearchParameter } from '../../lib/url'
import { rankingOf, WORST_FIRST } from './ranking'

export function useRanking() {
  const window = useDiagnosisWindow()
  const [kind, setKind] = useSearchParameter('kind', 'datastores')
  const [q, setSearch] = useSearchParameter('q', '')
  const [layer, setLayer] = useSearchParameter('layer', '')
  const [severity, setSeverity] = useSearchParameter('severity', '')
  const [sort, setSort] = useSearchParameter('sort', WORST_FIRST)
  const params = useMemo(
    () => rankingOf({ kind, q, layer, severity, sort }, window),
    [kind, q, layer, severity, sort, window],
  )
  return { ...params, params, setKind, setSearch, setLayer, setSeverity, setSort }
}

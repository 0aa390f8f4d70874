/** What the ranking shows, kept in the URL, and the ways to change it. */

import { useMemo } from 'react'
import { useDiagnosisWindow } from '../../domain/diagnosis/useDiagnosisWindow'
import { FILTER, RANKED_KIND, RANKED_LAYER, RANKED_SEVERITY, RANKING_SORT } from '../../domain/parameters'
import { useParameter } from '../../lib/url'
import { rankingOf } from './ranking'

export function useRanking() {
  const window = useDiagnosisWindow()
  const [kind, setKind] = useParameter(RANKED_KIND)
  const [q, setSearch] = useParameter(FILTER)
  const [layer, setLayer] = useParameter(RANKED_LAYER)
  const [severity, setSeverity] = useParameter(RANKED_SEVERITY)
  const [sort, setSort] = useParameter(RANKING_SORT)
  const params = useMemo(
    () => rankingOf({ kind, q, layer, severity, sort }, window),
    [kind, q, layer, severity, sort, window],
  )
  return { ...params, params, setKind, setSearch, setLayer, setSeverity, setSort }
}

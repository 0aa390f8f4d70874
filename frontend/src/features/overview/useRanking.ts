/** What the ranking shows, kept in the URL, and the ways to change it. */

import { useMemo } from 'react'
import { useDiagnosisWindow } from '../../domain/diagnosis/useDiagnosisWindow'
import { RANKED_KIND, RANKING_SORT } from '../../domain/parameters'
import { useFlatSearch } from '../../lib/search'
import { useParameter } from '../../lib/url'
import { rankingOf } from './ranking'

export function useRanking() {
  const window = useDiagnosisWindow()
  const search = useFlatSearch()
  const [kind, setKind] = useParameter(RANKED_KIND)
  const [sort, setSort] = useParameter(RANKING_SORT)
  const params = useMemo(() => rankingOf({ ...search, kind, sort }, window), [search, kind, sort, window])
  return { ...params, params, setKind, setSort }
}

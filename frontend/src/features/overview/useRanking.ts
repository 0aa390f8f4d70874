/** What the ranking shows, kept in the URL, and the ways to change it. */

import { useMemo } from 'react'
import { useDiagnosisWindow } from '../../domain/diagnosis/useDiagnosisWindow'
import { GROUP_KIND, RANKED_KIND, RANKING_SORT } from '../../domain/parameters'
import { useFlatSearch } from '../../lib/search'
import { useParameter } from '../../lib/url'
import { rankingOf } from './ranking'

/** group: "application=finance", on its page: of its VMs and what they are on. Without one, of the environment. */
export function useRanking(group?: string) {
  const window = useDiagnosisWindow()
  const search = useFlatSearch()
  const [kind, setKind] = useParameter(group === undefined ? RANKED_KIND : GROUP_KIND)
  const [sort, setSort] = useParameter(RANKING_SORT)
  const params = useMemo(() => rankingOf({ ...search, kind, sort }, window, group), [search, kind, sort, window, group])
  return { params, setKind, setSort }
}

export type ShownRanking = ReturnType<typeof useRanking>

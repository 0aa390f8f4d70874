/** What the ranking shows, kept in the URL, and the ways to change it. */

import { useMemo } from 'react'
import { useDiagnosisWindow } from '../../domain/diagnosis/useDiagnosisWindow'
import { GROUP, GROUP_KIND, RANKED_KIND, RANKING_SORT } from '../../domain/parameters'
import { useFlatSearch } from '../../lib/search'
import { useParameter } from '../../lib/url'
import { rankingOf } from './ranking'

/** On the page of a group: of its VMs and what they are on. */
export function useRanking() {
  const window = useDiagnosisWindow()
  const search = useFlatSearch()
  const [group] = useParameter(GROUP)
  const [kind, setKind] = useParameter(group === '' ? RANKED_KIND : GROUP_KIND)
  const [sort, setSort] = useParameter(RANKING_SORT)
  const params = useMemo(
    () => rankingOf({ ...search, kind, sort }, window, group === '' ? undefined : group),
    [search, kind, sort, window, group],
  )
  return { ...params, params, setKind, setSort }
}

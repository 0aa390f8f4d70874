/** What the ranking shows, kept in the URL, and the ways to change it. */

import { useMemo } from 'react'
import { useVerdictWindow } from '../../components/verdict/SpanSwitch'
import { useSearchParameter } from '../../lib/url'
import { rankingOf, WORST_FIRST } from './ranking'

export function useRanking() {
  const window = useVerdictWindow()
  const [kind, setKind] = useSearchParameter('kind', 'datastores')
  const [q, setSearch] = useSearchParameter('q', '')
  const [layer, setLayer] = useSearchParameter('layer', '')
  const [certainty, setCertainty] = useSearchParameter('certainty', '')
  const [sort, setSort] = useSearchParameter('sort', WORST_FIRST)
  const params = useMemo(
    () => rankingOf({ kind, q, layer, certainty, sort }, window),
    [kind, q, layer, certainty, sort, window],
  )
  return { ...params, params, setKind, setSearch, setLayer, setCertainty, setSort }
}

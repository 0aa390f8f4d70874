/** What the ranking shows, kept in the URL. */

import { useMemo } from 'react'
import type { Certainty } from '../../api/types'
import type { JudgedKind, RankingParams } from '../../api/verdicts'
import { LAYER_IDS } from '../../charts/segments'
import { useVerdictWindow } from '../../components/verdict/SpanSwitch'
import { useSearchParameter } from '../../lib/url'

export const KINDS = [
  ['datastores', 'Datastores', 'datastore'],
  ['vms', 'VMs', 'VM'],
  ['hosts', 'Hosts', 'host'],
  ['volumes', 'Volumes', 'volume'],
  ['arrays', 'Arrays', 'array'],
] as const satisfies readonly (readonly [JudgedKind, string, string])[]

export const CERTAINTIES: readonly Certainty[] = ['certain', 'likely', 'undetermined', 'healthy']

export function useRanking() {
  const window = useVerdictWindow()
  const [kindText, setKind] = useSearchParameter('kind', 'datastores')
  const [search, setSearch] = useSearchParameter('q', '')
  const [layerText, setLayer] = useSearchParameter('layer', '')
  const [certaintyText, setCertainty] = useSearchParameter('certainty', '')
  const [sort, setSort] = useSearchParameter('sort', '-impact')
  const kind = KINDS.find(([one]) => one === kindText)?.[0] ?? 'datastores'
  const layer = LAYER_IDS.find((one) => one === layerText) ?? null
  const certainty = CERTAINTIES.find((one) => one === certaintyText) ?? null
  const params = useMemo<RankingParams>(
    () => ({ kind, search, layer, certainty, sort, window }),
    [kind, search, layer, certainty, sort, window],
  )
  return { ...params, params, setKind, setSearch, setLayer, setCertainty, setSort }
}

export type Ranking = ReturnType<typeof useRanking>

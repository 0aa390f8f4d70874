/** What the ranking shows, kept in the URL. */

import { useMemo } from 'react'
import type { Certainty, Layer, OverviewRow } from '../../api/types'
import type { JudgedKind, RankingParams } from '../../api/verdicts'
import { useVerdictWindow } from '../../components/verdict/SpanSwitch'
import { useSearchParameter } from '../../lib/url'

export const KINDS = [
  ['datastores', 'Datastores', 'datastore'],
  ['vms', 'VMs', 'VM'],
  ['hosts', 'Hosts', 'host'],
  ['volumes', 'Volumes', 'volume'],
  ['arrays', 'Arrays', 'array'],
] as const satisfies readonly (readonly [JudgedKind, string, string])[]

export const LAYERS: readonly Layer[] = ['guest', 'kernel', 'san', 'array']
/** The layers that a verdict names; none where it names none. */
export const namedLayers = ({ state, layer }: Pick<OverviewRow, 'state' | 'layer'>): Layer[] =>
  LAYERS.filter((one) => state === 'judged' && layer !== null && layer.split('_').includes(one))

export const CERTAINTIES: readonly Certainty[] = ['certain', 'likely', 'undetermined', 'healthy']

export function useRanking() {
  const window = useVerdictWindow()
  const [kindText, setKind] = useSearchParameter('kind', 'datastores')
  const [search, setSearch] = useSearchParameter('q', '')
  const [layerText, setLayer] = useSearchParameter('layer', '')
  const [certaintyText, setCertainty] = useSearchParameter('certainty', '')
  const [sort, setSort] = useSearchParameter('sort', '-impact')
  const kind = KINDS.find(([one]) => one === kindText)?.[0] ?? 'datastores'
  const layer = LAYERS.find((one) => one === layerText) ?? null
  const certainty = CERTAINTIES.find((one) => one === certaintyText) ?? null
  const params = useMemo<RankingParams>(
    () => ({ kind, search, layer, certainty, sort, window }),
    [kind, search, layer, certainty, sort, window],
  )
  return { ...params, params, setKind, setSearch, setLayer, setCertainty, setSort }
}

export type Ranking = ReturnType<typeof useRanking>

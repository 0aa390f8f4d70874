/** What the ranking shows, as the address says it. */

import type { Certainty } from '../../api/types'
import type { JudgedKind, RankingParams, VerdictWindow } from '../../api/verdicts'
import { LAYER_IDS } from '../../charts/segments'

export const KINDS = [
  ['datastores', 'Datastores', 'datastore'],
  ['vms', 'VMs', 'VM'],
  ['hosts', 'Hosts', 'host'],
  ['volumes', 'Volumes', 'volume'],
  ['arrays', 'Arrays', 'array'],
] as const satisfies readonly (readonly [JudgedKind, string, string])[]

export const CERTAINTIES: readonly Certainty[] = ['certain', 'likely', 'undetermined', 'healthy']

export const WORST_FIRST = '-impact'

type RankingSearch = Partial<Record<'kind' | 'q' | 'layer' | 'certainty' | 'sort', string | undefined>>

export function rankingOf(search: RankingSearch, window: VerdictWindow): RankingParams {
  return {
    kind: KINDS.find(([one]) => one === search.kind)?.[0] ?? 'datastores',
    search: search.q ?? '',
    layer: LAYER_IDS.find((one) => one === search.layer) ?? null,
    certainty: CERTAINTIES.find((one) => one === search.certainty) ?? null,
    sort: search.sort ?? WORST_FIRST,
    window,
  }
}

/** Of the estate itself, whatever is filtered: where nothing is, the same question as the ranking's. */
export const unfiltered = ({ kind, window }: RankingParams): RankingParams => rankingOf({ kind }, window)

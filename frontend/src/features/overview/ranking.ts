/** What the ranking shows, as the address says it. */

import type { DiagnosisWindow, RankingParams } from '../../api/diagnoses'
import { LAYER_IDS } from '../../charts/segments'
import { kindInAddress } from '../../domain/kinds'
import { WORST_FIRST, WORST_SEVERITY_FIRST } from '../../domain/parameters'

type RankingSearch = Partial<Record<'kind' | 'q' | 'layer' | 'severity' | 'sort', string | undefined>>

export function rankingOf(search: RankingSearch, window: DiagnosisWindow): RankingParams {
  return {
    kind: kindInAddress(search.kind)?.id ?? 'datastores',
    search: search.q ?? '',
    layer: LAYER_IDS.find((one) => one === search.layer) ?? null,
    severity: WORST_SEVERITY_FIRST.find((one) => one === search.severity) ?? null,
    sort: search.sort ?? WORST_FIRST,
    window,
  }
}

/** Of the environment itself, whatever is filtered: where nothing is, the same question as the ranking's. */
export const unfiltered = ({ kind, window }: RankingParams): RankingParams => rankingOf({ kind }, window)

/** What the ranking shows, as the address says it. */

import type { DiagnosisWindow, RankingParams } from '../../api/diagnoses'
import { filtersOf } from '../../domain/filters/filterValues'
import { kindInAddress } from '../../domain/kinds'
import { WORST_FIRST } from '../../domain/parameters'
import type { FlatSearch } from '../../lib/search'

export function rankingOf(search: FlatSearch, window: DiagnosisWindow): RankingParams {
  return {
    kind: kindInAddress(search.kind)?.id ?? 'datastores',
    filters: filtersOf(search),
    sort: search.sort ?? WORST_FIRST,
    window,
  }
}

/** Of the environment itself, whatever is filtered: where nothing is, the same question as the ranking's. */
export const unfiltered = ({ kind, window }: RankingParams): RankingParams => rankingOf({ kind }, window)

/** What the ranking shows, as the address says it. */

import type { DiagnosisWindow, RankingParams } from '../../api/diagnoses'
import { filtersOf } from '../../domain/filters/filterValues'
import { kindInAddress } from '../../domain/kinds'
import { WORST_FIRST } from '../../domain/parameters'
import type { FlatSearch } from '../../lib/search'

/** group: "application=finance", which filters whatever else does. */
export function rankingOf(search: FlatSearch, window: DiagnosisWindow, group?: string): RankingParams {
  const { label = [], ...filters } = filtersOf(search)
  const labels = [...(group === undefined ? [] : [group]), ...label]
  return {
    kind: kindInAddress(search.kind)?.id ?? 'datastores',
    filters: labels.length === 0 ? filters : { ...filters, label: labels },
    sort: search.sort ?? WORST_FIRST,
    window,
  }
}

/** Of the environment itself, whatever is filtered: where nothing is, the same question as the ranking's. */
export const unfiltered = ({ kind, window }: RankingParams): RankingParams => rankingOf({ kind }, window)

/** When a whole source had nothing to tell, as hatching in the estate's chart, which does not wait for it. */

import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { sourceGapsQuery } from '../../api/gaps'
import { sourcesQuery } from '../../api/queries'
import { gapsOfSources } from '../../charts/estate'
import type { GapBand } from '../../charts/panels'
import type { SeriesData } from '../../charts/series'
import type { Range } from '../../lib/range'

type Gaps = SeriesData['gaps']

const all = (answers: readonly UseQueryResult<Gaps>[]) => answers.flatMap(({ data }) => data ?? [])

export function useEstateGaps(range: Range): readonly GapBand[] {
  const sources = useQuery(sourcesQuery()).data ?? []
  const gaps = useQueries({ queries: sources.map(({ id }) => sourceGapsQuery(id, range)), combine: all })
  return useMemo(() => gapsOfSources(gaps), [gaps])
}

/** When a whole source had nothing to tell, as hatching in a chart of many objects, which does not wait for it. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { environmentGapsQuery } from '../../api/gaps'
import { gapsOfSources } from '../../charts/environment'
import type { GapBand } from '../../charts/panels'
import type { Range } from '../../lib/range'

/** source_ids: of these sources alone. */
export function useEnvironmentGaps(range: Range, source_ids?: readonly number[]): readonly GapBand[] {
  const { data } = useQuery(environmentGapsQuery(range))
  return useMemo(
    () => gapsOfSources((data ?? []).filter(({ source }) => source_ids?.includes(source.id) ?? true)),
    [data, source_ids],
  )
}

/** When a whole source had nothing to tell, as hatching in the estate's chart, which does not wait for it. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { estateGapsQuery } from '../../api/gaps'
import { gapsOfSources } from '../../charts/estate'
import type { GapBand } from '../../charts/panels'
import type { Range } from '../../lib/range'

export function useEstateGaps(range: Range): readonly GapBand[] {
  const { data } = useQuery(estateGapsQuery(range))
  return useMemo(() => gapsOfSources(data ?? []), [data])
}

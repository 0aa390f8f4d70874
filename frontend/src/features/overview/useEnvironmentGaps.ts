/** When a whole source had nothing to tell, as hatching in the environment's chart, which does not wait for it. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { environmentGapsQuery } from '../../api/gaps'
import { gapsOfSources } from '../../charts/environment'
import type { GapBand } from '../../charts/panels'
import type { Range } from '../../lib/range'

export function useEnvironmentGaps(range: Range): readonly GapBand[] {
  const { data } = useQuery(environmentGapsQuery(range))
  return useMemo(() => gapsOfSources(data ?? []), [data])
}

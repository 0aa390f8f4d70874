/** Missing intervals of all sources in a window, with their reasons. */

import { queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'

/** Gaps are found and filled over minutes: they need not follow every tick. */
const EVERY_MS = 120_000

export const environmentGapsQuery = (range: Range) =>
  queryOptions({
    queryKey: ['gaps', range] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.allGaps,
        (options) => client.GET('/api/v1/environment/gaps', { params: { query: rangeQuery(range) }, ...options }),
        { signal },
      ),
    refetchInterval: EVERY_MS,
  })

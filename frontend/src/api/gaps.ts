/** Missing intervals of one source in a window, with their reasons. */

import { queryOptions } from '@tanstack/react-query'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'

/** Gaps are found and filled over minutes: they need not follow every tick. */
const EVERY_MS = 120_000

export const sourceGapsQuery = (id: number, range: Range) =>
  queryOptions({
    queryKey: ['gaps', id, range] as const,
    queryFn: ({ signal }) => {
      const params = { path: { source_id: id }, query: rangeQuery(range) }
      return call(
        'the gaps of a source',
        (options) => client.GET('/api/v1/sources/{source_id}/gaps', { params, ...options }),
        {
          signal,
        },
      )
    },
    refetchInterval: EVERY_MS,
  })

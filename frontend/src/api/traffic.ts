/** Counters of an array as a whole and of its target ports over time. */

import { queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'

const POINTS = 700

export const trafficQuery = (array_id: number, range: Range) =>
  queryOptions({
    queryKey: ['series', 'traffic', array_id, range] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.arrayTraffic,
        (options) =>
          client.GET('/api/v1/arrays/{array_id}/traffic', {
            params: { path: { array_id }, query: { ...rangeQuery(range), points: POINTS } },
            ...options,
          }),
        { signal },
      ),
    // Comparing thousands of numbers with thousands takes longer than drawing them.
    structuralSharing: false,
    // A new window keeps the former picture until its own numbers are there; another array must not.
    placeholderData: (previous, query) => (query?.queryKey[2] === array_id ? previous : undefined),
  })

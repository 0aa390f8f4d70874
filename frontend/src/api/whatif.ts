/** What-ifs as React Query options: they change nothing, so they are asked like any other question. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { call, client } from './client'
import type { WhatIfBody } from './types'

type WhatIfKind = NonNullable<WhatIfBody['subject']>['kind']

export const whatIfQuery = (body: WhatIfBody) =>
  queryOptions({
    queryKey: ['whatif', 'one', body] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.whatIf, (options) => client.POST('/api/v1/whatif', { body, ...options }), { signal }),
    // What was shown stays while the next scenario is computed.
    placeholderData: keepPreviousData,
    retry: false,
  })

export const whatIfExamplesQuery = () =>
  queryOptions({
    queryKey: ['whatif', 'examples'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.whatIfExamples, (options) => client.GET('/api/v1/whatif/examples', { ...options }), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Of an object, or null for every one. */
export const backtestQuery = (object: { kind: WhatIfKind; id: number } | null) =>
  queryOptions({
    queryKey: ['whatif', 'backtest', object] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.backtest,
        (options) =>
          client.GET('/api/v1/whatif/backtest', {
            params: { query: object === null ? {} : { subject: object.kind, object_id: object.id } },
            ...options,
          }),
        { signal },
      ),
    staleTime: 60_000,
  })

/** What filters of lists can be set to, as a React Query option. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as suggestionsCopy from '../copy/suggestions'
import { call, client } from './client'
import type { EntityKind } from './queries'
import type { OfferedFilter } from './types'

export const filterValuesQuery = (name: OfferedFilter, kind: EntityKind, search: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['filters', name, kind, search] as const,
    queryFn: ({ signal }) =>
      call(
        suggestionsCopy.request,
        (options) =>
          client.GET('/api/v1/filters/{name}', { params: { path: { name }, query: { kind, search } }, ...options }),
        { signal },
      ),
    placeholderData: keepPreviousData,
    enabled,
  })

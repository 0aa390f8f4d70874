/** Files of databases in a VM, as its guest pushes them. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'

export const databaseFilesQuery = (vm_id: number, range: Range) =>
  queryOptions({
    queryKey: ['database-files', vm_id, range] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.databaseFiles,
        (options) =>
          client.GET('/api/v1/vms/{vm_id}/database-files', {
            params: { path: { vm_id }, query: rangeQuery(range) },
            ...options,
          }),
        { signal },
      ),
    placeholderData: (previous, query) => (query?.queryKey[1] === vm_id ? keepPreviousData(previous) : undefined),
  })

/** Test runs of a VM, beside Gavel's layers of the same minutes. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { call, client } from './client'

/** On one page of the list. */
export const RUNS_PER_PAGE = 10

export const testRunsQuery = (vm_id: number, offset: number) =>
  queryOptions({
    queryKey: ['test-runs', vm_id, offset] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.testRuns,
        (options) =>
          client.GET('/api/v1/vms/{vm_id}/test-runs', {
            params: { path: { vm_id }, query: { limit: RUNS_PER_PAGE, offset } },
            ...options,
          }),
        { signal },
      ),
    placeholderData: (previous, query) => (query?.queryKey[1] === vm_id ? keepPreviousData(previous) : undefined),
  })

export const testRunChangesQuery = (vm_id: number, before: number, after: number) =>
  queryOptions({
    queryKey: ['test-runs', vm_id, 'changes', before, after] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.testRunChanges,
        (options) =>
          client.GET('/api/v1/vms/{vm_id}/test-runs/changes', {
            params: { path: { vm_id }, query: { before, after } },
            ...options,
          }),
        { signal },
      ),
  })

export const testRunLatencyQuery = (vm_id: number, run_id: number) =>
  queryOptions({
    queryKey: ['test-runs', vm_id, 'latency', run_id] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.testRunLatency,
        (options) =>
          client.GET('/api/v1/vms/{vm_id}/test-runs/{run_id}/latency', {
            params: { path: { vm_id, run_id } },
            ...options,
          }),
        { signal },
      ),
  })

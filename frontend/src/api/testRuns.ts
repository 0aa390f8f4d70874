/** Test runs of a VM, a datastore or a volume, beside Gavel's layers of the same minutes. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { call, client } from './client'

/** What test runs are tied to, as addresses call it. */
export type TiedKind = 'vms' | 'datastores' | 'volumes'

export interface Tied {
  kind: TiedKind
  id: number
}

/** On one page of the list. */
export const RUNS_PER_PAGE = 10

export const testRunsQuery = ({ kind, id: thing_id }: Tied, offset: number) =>
  queryOptions({
    queryKey: ['test-runs', kind, thing_id, offset] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.testRuns,
        (options) =>
          client.GET('/api/v1/{kind}/{thing_id}/test-runs', {
            params: { path: { kind, thing_id }, query: { limit: RUNS_PER_PAGE, offset } },
            ...options,
          }),
        { signal },
      ),
    placeholderData: (previous, query) =>
      query?.queryKey[1] === kind && query.queryKey[2] === thing_id ? keepPreviousData(previous) : undefined,
  })

export const testRunChangesQuery = ({ kind, id: thing_id }: Tied, before: number, after: number) =>
  queryOptions({
    queryKey: ['test-runs', kind, thing_id, 'changes', before, after] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.testRunChanges,
        (options) =>
          client.GET('/api/v1/{kind}/{thing_id}/test-runs/changes', {
            params: { path: { kind, thing_id }, query: { before, after } },
            ...options,
          }),
        { signal },
      ),
  })

export const testRunLatencyQuery = ({ kind, id: thing_id }: Tied, run_id: number) =>
  queryOptions({
    queryKey: ['test-runs', kind, thing_id, 'latency', run_id] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.testRunLatency,
        (options) =>
          client.GET('/api/v1/{kind}/{thing_id}/test-runs/{run_id}/latency', {
            params: { path: { kind, thing_id, run_id } },
            ...options,
          }),
        { signal },
      ),
  })

export const leftOutQuery = (import_id: number) =>
  queryOptions({
    queryKey: ['imports', import_id, 'left-out'] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.leftOut,
        (options) =>
          client.GET('/api/v1/imports/{import_id}/left-out', { params: { path: { import_id } }, ...options }),
        { signal },
      ),
  })

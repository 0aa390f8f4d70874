/** Questions about diagnoses as React Query options. Their keys begin with `ledger`: they change when minutes were attributed. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'
import { callSeries, type EntityKind, PAGE_SIZE } from './queries'
import { sectionOfSummary } from './summary'
import type { Happened, Layer, ListFilters } from './types'

/** Null: the newest minutes, as many as the API takes by itself. */
export type DiagnosisWindow = Range | null

export const windowQuery = (window: DiagnosisWindow) => (window === null ? {} : rangeQuery(window))

/** A new window of the same object keeps the former numbers until its own are there. */
const sameObject =
  (kind: EntityKind, id: number) =>
  <Data>(previous: Data | undefined, query: { queryKey: readonly unknown[] } | undefined): Data | undefined =>
    query?.queryKey[2] === kind && query.queryKey[3] === id ? previous : undefined

export const diagnosisQuery = (kind: EntityKind, id: number, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'diagnosis', kind, id, window] as const,
    queryFn: async ({ signal, client: cache, queryKey }) => {
      const summed = await sectionOfSummary(cache, queryKey, 'diagnosis', { kind, id, window })
      if (summed !== null) return summed
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        requestsCopy.diagnosis,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/diagnosis', { params, ...options }),
        {
          signal,
        },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const waterfallQuery = (kind: EntityKind, id: number, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'waterfall', kind, id, window] as const,
    queryFn: async ({ signal, client: cache, queryKey }) => {
      const summed = await sectionOfSummary(cache, queryKey, 'waterfall', { kind, id, window })
      if (summed !== null) return summed
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        requestsCopy.latencyBreakdown,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/waterfall', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const occupancyQuery = (kind: EntityKind, id: number, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'occupancy', kind, id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        requestsCopy.outstandingByLayer,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/occupancy', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

/** Things whose I/Os are followed from VM to array. */
export type HoppingKind = Extract<EntityKind, 'datastores' | 'vms'>

export const hopsQuery = (kind: HoppingKind, id: number, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'hops', kind, id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        requestsCopy.ioPath,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/hops', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const latencyQuery = (kind: EntityKind, id: number, range: Range) =>
  queryOptions({
    queryKey: ['ledger', 'latency', kind, id, range] as const,
    queryFn: async ({ signal, client: cache, queryKey }) => {
      const summed = await sectionOfSummary(cache, queryKey, 'latency', { kind, id, trend: range })
      if (summed !== null) return summed
      const params = { path: { kind, thing_id: id }, query: rangeQuery(range) }
      return call(
        requestsCopy.latencyOverTime,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/latency', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const environmentLatencyQuery = (range: Range) =>
  queryOptions({
    queryKey: ['ledger', 'environment', range] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.environmentOverTime,
        (options) => client.GET('/api/v1/environment/latency', { params: { query: rangeQuery(range) }, ...options }),
        { signal },
      ),
    placeholderData: keepPreviousData,
  })

export const contributorsQuery = (kind: EntityKind, id: number, layer: Layer, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'contributors', kind, id, layer, window] as const,
    queryFn: async ({ signal, client: cache, queryKey }) => {
      const summed = await sectionOfSummary(cache, queryKey, 'contributors', { kind, id, window })
      // Of another layer than the diagnosis names it is asked for apart.
      if (summed?.layer === layer) return summed
      const params = { path: { kind, thing_id: id }, query: { layer, ...windowQuery(window) } }
      return call(
        requestsCopy.contributors,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/contributors', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const deltasQuery = (datastore_id: number, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'deltas', 'datastores', datastore_id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { thing_id: datastore_id }, query: windowQuery(window) }
      return call(
        requestsCopy.counterDifferences,
        (options) => client.GET('/api/v1/datastores/{thing_id}/deltas', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject('datastores', datastore_id),
  })

/** A datastore as each of its hosts sees it. */
export const hostRowsQuery = (datastore_id: number, window: DiagnosisWindow) =>
  queryOptions({
    queryKey: ['ledger', 'hosts', 'datastores', datastore_id, window] as const,
    queryFn: async ({ signal, client: cache, queryKey }) => {
      const of = { kind: 'datastores', id: datastore_id, window } as const
      const summed = await sectionOfSummary(cache, queryKey, 'hosts', of)
      if (summed !== null) return summed
      const params = { path: { thing_id: datastore_id }, query: windowQuery(window) }
      return call(
        requestsCopy.hostCounters,
        (options) => client.GET('/api/v1/datastores/{thing_id}/hosts', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject('datastores', datastore_id),
  })

/** Gaps of its sources and events of an object: they come with its raw counters, too, which are not needed for them. */
export const happenedQuery = (kind: EntityKind, id: number, range: Range) =>
  queryOptions({
    queryKey: ['ledger', 'happened', kind, id, range] as const,
    queryFn: async ({ signal, client: cache, queryKey }): Promise<Happened> => {
      const summed = await sectionOfSummary(cache, queryKey, 'happened', { kind, id, trend: range })
      if (summed !== null) return summed
      const { from_at, to_at, gaps, events } = await callSeries(kind, id, range, 'none', signal)
      return { from_at, to_at, gaps, events }
    },
    placeholderData: sameObject(kind, id),
  })

const ORDERS = ['excess_outstanding', 'excess', 'latency', 'iops', 'name'] as const

export interface RankingParams {
  kind: EntityKind
  filters: ListFilters
  /** "-excess_outstanding": largest first. */
  sort: string
  window: DiagnosisWindow
  /** Rows per answer, where fewer than a page are shown. */
  limit?: number
}

export const overviewQuery = (params: RankingParams, offset: number) =>
  queryOptions({
    queryKey: ['ledger', 'overview', params, offset] as const,
    queryFn: ({ signal }) => {
      const query = rankingSearch(params, offset)
      const things = params.kind === 'vms' ? 'VMs' : params.kind
      return call(
        requestsCopy.environment(things),
        (options) => client.GET('/api/v1/overview', { params: { query }, ...options }),
        { signal },
      )
    },
    placeholderData: keepPreviousData,
  })

/** "-iops" as the API has it; what it cannot be sorted by is the first of `orders`. */
export const orderOf = <Order extends string>(sort: string, orders: readonly [Order, ...Order[]]) => ({
  sort: orders.find((one) => one === sort.replace(/^-/, '')) ?? orders[0],
  order: sort.startsWith('-') ? ('desc' as const) : ('asc' as const),
})

function rankingSearch({ kind, filters, sort, window, limit = PAGE_SIZE }: RankingParams, offset: number) {
  return {
    kind,
    ...filters,
    ...orderOf(sort, ORDERS),
    limit,
    offset,
    ...windowQuery(window),
  }
}

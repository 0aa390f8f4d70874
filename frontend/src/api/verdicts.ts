/** Questions about verdicts as React Query options. Their keys begin with `ledger`: they change when minutes were attributed. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'
import { PAGE_SIZE } from './queries'
import type { Certainty, Layer } from './types'

/** What the ledger adds up to, as addresses name it. */
export type JudgedKind = 'datastores' | 'vms' | 'hosts' | 'volumes' | 'arrays'

/** Null: the newest minutes, as many as the API takes by itself. */
export type VerdictWindow = Range | null

const windowQuery = (window: VerdictWindow) => (window === null ? {} : rangeQuery(window))

/** A new window of the same object keeps the former numbers until its own are there. */
const sameObject =
  (kind: JudgedKind, id: number) =>
  <Data>(previous: Data | undefined, query: { queryKey: readonly unknown[] } | undefined): Data | undefined =>
    query?.queryKey[2] === kind && query.queryKey[3] === id ? previous : undefined

export const verdictQuery = (kind: JudgedKind, id: number, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'verdict', kind, id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call('the verdict', (options) => client.GET('/api/v1/{kind}/{thing_id}/verdict', { params, ...options }), {
        signal,
      })
    },
    placeholderData: sameObject(kind, id),
  })

export const waterfallQuery = (kind: JudgedKind, id: number, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'waterfall', kind, id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        'where the time went',
        (options) => client.GET('/api/v1/{kind}/{thing_id}/waterfall', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const occupancyQuery = (kind: JudgedKind, id: number, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'occupancy', kind, id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        'where the I/Os are',
        (options) => client.GET('/api/v1/{kind}/{thing_id}/occupancy', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

/** Things whose I/Os are followed from VM to array. */
export type HoppingKind = Extract<JudgedKind, 'datastores' | 'vms'>

export const hopsQuery = (kind: HoppingKind, id: number, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'hops', kind, id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: windowQuery(window) }
      return call(
        'the way of its I/Os',
        (options) => client.GET('/api/v1/{kind}/{thing_id}/hops', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const latencyQuery = (kind: JudgedKind, id: number, range: Range) =>
  queryOptions({
    queryKey: ['ledger', 'latency', kind, id, range] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: rangeQuery(range) }
      return call(
        'the latency over time',
        (options) => client.GET('/api/v1/{kind}/{thing_id}/latency', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const estateLatencyQuery = (range: Range) =>
  queryOptions({
    queryKey: ['ledger', 'estate', range] as const,
    queryFn: ({ signal }) =>
      call(
        'the estate over time',
        (options) => client.GET('/api/v1/estate/latency', { params: { query: rangeQuery(range) }, ...options }),
        { signal },
      ),
    placeholderData: keepPreviousData,
  })

export const contributorsQuery = (kind: JudgedKind, id: number, layer: Layer, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'contributors', kind, id, layer, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { kind, thing_id: id }, query: { layer, ...windowQuery(window) } }
      return call(
        'who takes part',
        (options) => client.GET('/api/v1/{kind}/{thing_id}/contributors', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject(kind, id),
  })

export const deltasQuery = (datastore_id: number, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'deltas', 'datastores', datastore_id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { thing_id: datastore_id }, query: windowQuery(window) }
      return call(
        'the differences between the boundaries',
        (options) => client.GET('/api/v1/datastores/{thing_id}/deltas', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject('datastores', datastore_id),
  })

/** A datastore as each of its hosts sees it. */
export const hostRowsQuery = (datastore_id: number, window: VerdictWindow) =>
  queryOptions({
    queryKey: ['ledger', 'hosts', 'datastores', datastore_id, window] as const,
    queryFn: ({ signal }) => {
      const params = { path: { thing_id: datastore_id }, query: windowQuery(window) }
      return call(
        'the numbers of each host',
        (options) => client.GET('/api/v1/datastores/{thing_id}/hosts', { params, ...options }),
        { signal },
      )
    },
    placeholderData: sameObject('datastores', datastore_id),
  })

const ORDERS = ['impact', 'excess', 'latency', 'iops', 'name'] as const
type Order = (typeof ORDERS)[number]

export interface RankingParams {
  kind: JudgedKind
  search: string
  layer: Layer | null
  certainty: Certainty | null
  /** "-impact": largest first. */
  sort: string
  window: VerdictWindow
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
        `the estate and its ${things}`,
        (options) => client.GET('/api/v1/overview', { params: { query }, ...options }),
        { signal },
      )
    },
    placeholderData: keepPreviousData,
  })

function rankingSearch(
  { kind, search, layer, certainty, sort, window, limit = PAGE_SIZE }: RankingParams,
  offset: number,
) {
  const key: Order = ORDERS.find((one) => one === sort.replace(/^-/, '')) ?? 'impact'
  return {
    kind,
    search,
    sort: key,
    order: sort.startsWith('-') ? ('desc' as const) : ('asc' as const),
    limit,
    offset,
    ...(layer === null ? {} : { layer }),
    ...(certainty === null ? {} : { certainty }),
    ...windowQuery(window),
  }
}

/** Groups of VMs by the value of a label, as React Query options. Their keys begin with `ledger`: they change when minutes were attributed. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'
import { type DiagnosisWindow, orderOf, windowQuery } from './diagnoses'
import { PAGE_SIZE } from './queries'

const ORDERS = ['excess_outstanding', 'iops', 'members', 'name'] as const

export interface GroupsParams {
  /** Name of the label; empty: what means an application. */
  label: string
  /** A part of the value. */
  search: string
  /** "-excess_outstanding": largest first. */
  sort: string
  window: DiagnosisWindow
}

export const groupsQuery = (params: GroupsParams, offset: number) =>
  queryOptions({
    queryKey: ['ledger', 'groups', params, offset] as const,
    queryFn: ({ signal }) => {
      const { label, search, sort, window } = params
      const query = {
        label,
        search,
        ...orderOf(sort, ORDERS),
        limit: PAGE_SIZE,
        offset,
        ...windowQuery(window),
      }
      return call(requestsCopy.groups, (options) => client.GET('/api/v1/groups', { params: { query }, ...options }), {
        signal,
      })
    },
    placeholderData: keepPreviousData,
  })

/** Of VMs with one value of a label together, over time. */
export const groupLatencyQuery = (group: { label: string; value: string }, range: Range) =>
  queryOptions({
    queryKey: ['ledger', 'group', group, range] as const,
    queryFn: ({ signal }) => {
      const params = { query: { ...group, ...rangeQuery(range) } }
      return call(
        requestsCopy.groupOverTime,
        (options) => client.GET('/api/v1/groups/latency', { params, ...options }),
        { signal },
      )
    },
    placeholderData: keepPreviousData,
  })

/** Questions about findings as React Query options, and who accepts them. Rules are evaluated every few minutes: so often they are read. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { ownAddress } from '../lib/base'
import { call, client } from './client'
import { PAGE_SIZE } from './queries'
import type { AcceptIn, DiagnosisSeverity, FindingRow, Ref } from './types'

const EVERY_MS = 60_000
const live = { refetchInterval: EVERY_MS }

/** Kinds of objects that findings can be about. */
export type FindingSubject = Exclude<Ref['kind'], 'directory' | 'environment' | 'pod' | 'vcenter'>

export interface FindingsParams {
  search: string
  /** None: open and accepted. */
  states: readonly FindingRow['state'][]
  severity: DiagnosisSeverity | null
  rule: string
  sort: string
  /** Its own findings and those that touch it. */
  of: { kind: FindingSubject; id: number } | null
}

export const ALL_FINDINGS: FindingsParams = {
  search: '',
  states: [],
  severity: null,
  rule: '',
  sort: 'severity',
  of: null,
}

function filters({ search, states, severity, rule, sort, of }: FindingsParams) {
  return {
    search,
    sort,
    ...(states.length === 0 ? {} : { state: [...states] }),
    ...(severity === null ? {} : { severity: [severity] }),
    ...(rule === '' ? {} : { rule: [rule] }),
    ...(of === null ? {} : { subject: of.kind, object_id: of.id }),
  }
}

export const findingsQuery = (params: FindingsParams, offset = 0) =>
  queryOptions({
    queryKey: ['findings', 'list', params, offset] as const,
    queryFn: ({ signal }) => {
      const query = { ...filters(params), limit: PAGE_SIZE, offset }
      return call(
        requestsCopy.findings,
        (options) => client.GET('/api/v1/findings', { params: { query }, ...options }),
        { signal },
      )
    },
    placeholderData: keepPreviousData,
    ...live,
  })

/** All rules, with what each cannot be evaluated on yet. */
export const findingRulesQuery = () =>
  queryOptions({
    queryKey: ['findings', 'rules'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.findingRules, (options) => client.GET('/api/v1/findings/rules', options), { signal }),
    ...live,
  })

/** Where the list can be saved from, with the same filters. */
export function findingsFile(params: FindingsParams): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filters(params)))
    for (const one of [value].flat()) search.append(name, String(one))
  return `${ownAddress('/api/v1/findings.csv')}?${search}`
}

export const findingQuery = (finding_id: number) =>
  queryOptions({
    queryKey: ['findings', 'one', finding_id] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.finding,
        (options) => client.GET('/api/v1/findings/{finding_id}', { params: { path: { finding_id } }, ...options }),
        { signal },
      ),
    ...live,
  })

/** Open findings by object of a kind; objects without any are absent. */
export const findingCountsQuery = (subject: FindingSubject) =>
  queryOptions({
    queryKey: ['findings', 'counts', subject] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.findingCounts,
        (options) => client.GET('/api/v1/findings/counts', { params: { query: { subject } }, ...options }),
        { signal },
      ),
    ...live,
  })

const findingAt = (finding_id: number) => ({ params: { path: { finding_id } } })

export const acceptFinding = (id: number, body: AcceptIn) =>
  call(requestsCopy.acceptFinding, (options) =>
    client.POST('/api/v1/findings/{finding_id}/accept', { ...findingAt(id), body, ...options }),
  )

export const reopenFinding = (id: number) =>
  call(requestsCopy.reopenFinding, (options) =>
    client.DELETE('/api/v1/findings/{finding_id}/accept', { ...findingAt(id), ...options }),
  )

/**
 * One request brings all that an object's page shows first. Each section still is a question of its own, with its own state and error;
 * what it asks is whether the shown page's summary has news for it, and only else its own address.
 */

import { hashKey, type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { browserNow } from '../lib/clock'
import { ApiError } from '../lib/errors'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'
import type { paths } from './schema'
import type { Summary } from './types'

type EntityKind = paths['/api/v1/{kind}/{thing_id}/summary']['get']['parameters']['path']['kind']

/** The object whose summary is on the screen. window: of its diagnosis, null for the newest minutes; trend: of what is drawn over time. */
export interface ShownSummary {
  kind: EntityKind
  id: number
  window: Range | null
  trend: Range
}

/** Which object a section is of, and of what its numbers are; left out: of neither range. */
export interface SectionOf {
  kind: EntityKind
  id: number
  window?: Range | null
  trend?: Range
}

export type SectionName = Exclude<keyof Summary, 'failed'>

const FRESH_MS = 10_000
const shown = new WeakMap<QueryClient, ShownSummary>()

/** Sections of this object and these ranges come with one request from now on; null: of none. */
export function showSummary(cache: QueryClient, next: ShownSummary | null): void {
  const former = shown.get(cache)
  if (former !== undefined && next !== null && hashKey(keyOf(former)) === hashKey(keyOf(next))) return
  // Nobody waits for it any more.
  if (former !== undefined) void cache.cancelQueries({ queryKey: keyOf(former), exact: true })
  if (next === null) shown.delete(cache)
  else shown.set(cache, next)
}

const keyOf = ({ kind, id, window, trend }: ShownSummary) => ['summary', kind, id, window, trend] as const

const summaryQuery = (page: ShownSummary) =>
  queryOptions({
    queryKey: keyOf(page),
    queryFn: ({ signal }) => {
      const trend = rangeQuery(page.trend)
      const params = {
        path: { kind: page.kind, thing_id: page.id },
        query: { ...(page.window === null ? {} : rangeQuery(page.window)), trend_from: trend.from, trend_to: trend.to },
      }
      return call(
        requestsCopy.summary,
        (options) => client.GET('/api/v1/{kind}/{thing_id}/summary', { params, ...options }),
        { signal },
      )
    },
    // Its sections are compared one by one, where they are taken.
    structuralSharing: false,
  })

/**
 * The section as the summary of the shown page has it; null where it is no section of that page, where the summary brought nothing new for
 * it (then it alone has changed), or where nothing came: then its own address is asked. A section that failed throws its error, so that
 * a database with too much to do is not asked for the same again at once.
 */
export async function sectionOfSummary<Name extends SectionName>(
  cache: QueryClient,
  own: QueryKey,
  name: Name,
  of: SectionOf,
): Promise<NonNullable<Summary[Name]> | null> {
  const page = shown.get(cache)
  if (page === undefined || !isOn(page, of) || !hasNews(cache, own, page)) return null
  const summary = await newestSummary(cache, page)
  const failure = summary?.failed.find(({ section }) => section === name)
  if (failure !== undefined) throw new ApiError(requestsCopy.summary, failure.detail, failure.status)
  return summary?.[name] ?? null
}

async function newestSummary(cache: QueryClient, page: ShownSummary): Promise<Summary | null> {
  try {
    return await cache.fetchQuery({ ...summaryQuery(page), staleTime: FRESH_MS, retry: false })
  } catch (error) {
    // Where nobody answers, nobody does at the section's own address; what is refused, broken or not wanted any more may be fine there.
    if (error instanceof ApiError && (error.status === null || error.status === 503)) throw error
    return null
  }
}

function isOn(page: ShownSummary, { kind, id, window, trend }: SectionOf): boolean {
  return (
    page.kind === kind &&
    page.id === id &&
    (window === undefined || hashKey([window]) === hashKey([page.window])) &&
    (trend === undefined || hashKey([trend]) === hashKey([page.trend]))
  )
}

/** Whether the summary is on its way or has to be asked for, or has come since the section took its part of the last one. */
function hasNews(cache: QueryClient, own: QueryKey, page: ShownSummary): boolean {
  const [summary, section] = [cache.getQueryState(keyOf(page)), cache.getQueryState(own)]
  if (summary === undefined || summary.fetchStatus === 'fetching' || summary.isInvalidated) return true
  if (summary.status !== 'success') return true
  // A section that failed in it is asked for at its own address when the user tries again.
  if (summary.dataUpdatedAt > Math.max(section?.dataUpdatedAt ?? 0, section?.errorUpdatedAt ?? 0)) return true
  // Both have grown old, as when somebody comes back to the page; a section alone is asked for anew after its own failure.
  const isOld = browserNow() - summary.dataUpdatedAt > FRESH_MS
  return isOld && section?.isInvalidated !== true && (section?.error ?? null) === null
}

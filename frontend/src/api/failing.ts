/** What on screen could not be read at its newest try, and since when. */

import { notifyManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { ApiError } from '../lib/errors'

export interface Trouble {
  error: Error
  since_ms: number
}

/** What is asked for may not be there; that is an answer. */
const isTrouble = (error: Error) => !(error instanceof ApiError && error.status === 404)

// A query without data forgets its error while it tries again: until then its last word holds.
const lastWord = new WeakMap<Query, Trouble | null>()

export function troubleOf(query: Query): Trouble | null {
  const { error, data, errorUpdateCount, errorUpdatedAt } = query.state
  const before = lastWord.get(query) ?? null
  if (error === null && data === undefined && errorUpdateCount > 0) return before
  const trouble = error !== null && isTrouble(error) ? troubleSince(error, errorUpdatedAt, before) : null
  lastWord.set(query, trouble)
  return trouble
}

/** The same object while nothing changes, so that nothing is drawn again for it. */
function troubleSince(error: Error, at_ms: number, before: Trouble | null): Trouble {
  return before?.error === error ? before : { error, since_ms: before?.since_ms ?? at_ms }
}

/** What `read` makes of everything that is asked, anew whenever that changes. */
export function useAsked<Found>(read: (client: QueryClient) => Found): Found {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)), [cache])
  return useSyncExternalStore(subscribe, () => read(client))
}

export const anyFails = (client: QueryClient): boolean =>
  client
    .getQueryCache()
    .getAll()
    .some((query) => query.isActive() && troubleOf(query) !== null)

export const useFailing = (): boolean => useAsked(anyFails)

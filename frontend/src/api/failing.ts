/** Whether anything on screen could not be read at its newest try. */

import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { ApiError } from './errors'

/** What is asked for may not be there; that is an answer. */
const isTrouble = (error: Error) => !(error instanceof ApiError && error.status === 404)

// A query without data forgets its error while it tries again: until then its last word holds.
const lastWord = new WeakMap<Query, boolean>()

function isFailing(query: Query): boolean {
  const { error, data, errorUpdateCount } = query.state
  if (error === null && data === undefined && errorUpdateCount > 0) return lastWord.get(query) ?? false
  const failing = error !== null && isTrouble(error)
  lastWord.set(query, failing)
  return failing
}

export function useFailing(): boolean {
  const cache = useQueryClient().getQueryCache()
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)), [cache])
  return useSyncExternalStore(subscribe, () => cache.getAll().some((query) => query.isActive() && isFailing(query)))
}

/** Offline environments: their list, those on their way, and what makes and removes them. Apart from the frame, which needs none of it. */

import { queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { call, client } from './client'
import type { OfflineEnvironmentIn } from './types'

const OFFLINE_EVERY_MS = 30_000

export const offlineQuery = () =>
  queryOptions({
    queryKey: ['offline'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.offline, (options) => client.GET('/api/v1/offline-environments', options), { signal }),
    refetchInterval: OFFLINE_EVERY_MS,
  })

const BUILDING_MS = 2000

/** While one is uploaded or made, how far it is. */
export const offlineBuildsQuery = () =>
  queryOptions({
    queryKey: ['offline', 'builds'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.offline, (options) => client.GET('/api/v1/offline-builds', options), { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some((each) => each.state !== 'failed') ? BUILDING_MS : OFFLINE_EVERY_MS,
  })

export const removeOffline = (name: string) =>
  call(requestsCopy.removeOffline, (options) =>
    client.DELETE('/api/v1/offline-environments/{name}', { params: { path: { name } }, ...options }),
  )

export const addOffline = (body: OfflineEnvironmentIn) =>
  call(requestsCopy.addOffline, (options) => client.POST('/api/v1/offline-environments', { body, ...options }))

export const removeOfflineBuild = (name: string) =>
  call(requestsCopy.removeOffline, (options) =>
    client.DELETE('/api/v1/offline-builds/{name}', { params: { path: { name } }, ...options }),
  )

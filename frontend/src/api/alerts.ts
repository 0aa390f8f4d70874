/** Questions about alerts, rules, silences and channels as React Query options. Keys begin with `alerts`: they change when minutes were judged. */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { ownAddress } from '../lib/base'
import { type Range, rangeQuery } from '../lib/range'
import { call, client } from './client'
import { PAGE_SIZE } from './queries'
import type { AlertOut, NotificationState, Severity } from './types'

/** The live stream says when states move and when somebody changes something; a silence that ends by itself is no news. */
const EVERY_MS = 60_000
/** What failed is tried again as everything is. */
const AGAIN_MS = 15_000
const live = {
  refetchInterval: ({ state }: { state: { error: Error | null } }) => (state.error === null ? EVERY_MS : AGAIN_MS),
}

export const alertsNowQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'now'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.alerts, (options) => client.GET('/api/v1/alerts/now', options), { signal }),
    ...live,
  })

export interface HistoryParams {
  search: string
  severity: Severity | null
  range: Range
}

export const alertHistoryQuery = ({ search, severity, range }: HistoryParams, offset: number) =>
  queryOptions({
    queryKey: ['alerts', 'history', search, severity, range, offset] as const,
    queryFn: ({ signal }) => {
      const chosen = severity === null ? {} : { severity }
      const query = { ...rangeQuery(range), search, ...chosen, limit: PAGE_SIZE, offset }
      return call(
        requestsCopy.alertHistory,
        (options) => client.GET('/api/v1/alerts/history', { params: { query }, ...options }),
        { signal },
      )
    },
    placeholderData: keepPreviousData,
    ...live,
  })

/** Alerts that were open at some moment of a window, for its charts; `of`: of this thing only. */
export const alertsDuringQuery = (range: Range, of: Pick<AlertOut['subject'], 'kind' | 'id'> | null) =>
  queryOptions({
    queryKey: ['alerts', 'during', range, of?.kind, of?.id] as const,
    queryFn: ({ signal }) => {
      const query = {
        ...rangeQuery(range),
        ...(of === null ? {} : { subject: of.kind, object_id: of.id }),
        limit: PAGE_SIZE,
      }
      return call(
        requestsCopy.alertsInWindow,
        (options) => client.GET('/api/v1/alerts/history', { params: { query }, ...options }),
        { signal },
      )
    },
    // A new window keeps the former lines until its own are there; another object must not.
    placeholderData: (previous, query) =>
      query?.queryKey[3] === of?.kind && query?.queryKey[4] === of?.id ? previous : undefined,
  })

/** `of`: of this thing only. */
export const lateQuery = (range: Range, of: AlertOut['subject'] | null = null) =>
  queryOptions({
    queryKey: ['alerts', 'late', range, of?.kind, of?.id] as const,
    queryFn: ({ signal }) => {
      const query = { ...rangeQuery(range), ...(of === null ? {} : { subject: of.kind, object_id: of.id }) }
      return call(
        requestsCopy.lateDetections,
        (options) => client.GET('/api/v1/alerts/late', { params: { query }, ...options }),
        { signal },
      )
    },
    ...live,
    placeholderData: (previous, query) =>
      query?.queryKey[3] === of?.kind && query?.queryKey[4] === of?.id ? previous : undefined,
  })

export const alertQuery = (alert_id: number) =>
  queryOptions({
    queryKey: ['alerts', 'one', alert_id] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.alert,
        (options) => client.GET('/api/v1/alerts/{alert_id}', { params: { path: { alert_id } }, ...options }),
        { signal },
      ),
    ...live,
  })

export const rulesQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'rules'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.rules, (options) => client.GET('/api/v1/alert-rules', options), { signal }),
    ...live,
  })

export const quantitiesQuery = () =>
  queryOptions({
    queryKey: ['alert-quantities'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.ruleQuantities, (options) => client.GET('/api/v1/alert-quantities', options), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Where the rules can be saved from, as YAML. */
export const RULES_FILE = ownAddress('/api/v1/alert-rules/export')

export const silencesQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'silences'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.silences, (options) => client.GET('/api/v1/silences', options), { signal }),
    ...live,
  })

export const maintenanceQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'maintenance'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.maintenanceWindows, (options) => client.GET('/api/v1/maintenance-windows', options), {
        signal,
      }),
    ...live,
  })

export const channelKindsQuery = () =>
  queryOptions({
    queryKey: ['channel-kinds'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.channelKinds, (options) => client.GET('/api/v1/channel-kinds', options), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const channelsQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'channels'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.channels, (options) => client.GET('/api/v1/channels', options), { signal }),
    ...live,
  })

export interface LogParams {
  channel: number | null
  state: NotificationState | null
}

export const notificationsQuery = ({ channel, state }: LogParams, offset: number) =>
  queryOptions({
    queryKey: ['alerts', 'notifications', channel, state, offset] as const,
    queryFn: ({ signal }) => {
      const chosen = { ...(channel === null ? {} : { channel_id: channel }), ...(state === null ? {} : { state }) }
      const query = { ...chosen, limit: PAGE_SIZE, offset }
      return call(
        requestsCopy.deliveryLog,
        (options) => client.GET('/api/v1/notifications', { params: { query }, ...options }),
        { signal },
      )
    },
    placeholderData: keepPreviousData,
    ...live,
  })

export const notificationQuery = (notification_id: number) =>
  queryOptions({
    queryKey: ['alerts', 'notification', notification_id] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.notification,
        (options) =>
          client.GET('/api/v1/notifications/{notification_id}', { params: { path: { notification_id } }, ...options }),
        { signal },
      ),
    ...live,
  })

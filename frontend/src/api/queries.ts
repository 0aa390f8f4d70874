/** Questions to the API as React Query options. The first word of a key says how it lives: `list`, `one`, `series`, `sources` … */

import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { kindNames } from '../copy/kinds'
import * as requestsCopy from '../copy/requests'
import { type Range, rangeQuery } from '../lib/range'
import { visibleName } from '../lib/text'
import { type Answer, call, client } from './client'
import { sectionOfSummary } from './summary'
import type {
  ArrayOut,
  ArrayRow,
  DatastoreOut,
  DatastoreRow,
  HostOut,
  HostRow,
  ListedVolume,
  ListFilters,
  UnmatchedRow,
  VmOut,
  VmRow,
  VolumeOut,
} from './types'

export interface EntityTypes {
  datastores: { row: DatastoreRow; one: DatastoreOut }
  vms: { row: VmRow; one: VmOut }
  hosts: { row: HostRow; one: HostOut }
  volumes: { row: ListedVolume; one: VolumeOut }
  arrays: { row: ArrayRow; one: ArrayOut }
}
export type EntityKind = keyof EntityTypes

export interface ListParams {
  filters: ListFilters
  sort: string
  /** Of the diagnoses; null: the newest minutes. */
  window: Range | null
}

export interface ListPage<Row> {
  items: Row[]
  total: number
  limit: number
  offset: number
}

/** Rows per request of a virtual table; a screen shows at most some forty. */
export const PAGE_SIZE = 100

/** Screen width of a chart rarely carries more buckets than this. */
const POINTS = 700

type Options = { signal: AbortSignal }
type ListSearch = ListFilters & { sort: string; limit: number; offset: number; from?: string; to?: string }
type Window = { from: string; to: string; points: number; detail: 'none' | 'parts' }

const LIST = {
  datastores: (query: ListSearch, options: Options) =>
    client.GET('/api/v1/datastores', { params: { query }, ...options }),
  vms: (query: ListSearch, options: Options) => client.GET('/api/v1/vms', { params: { query }, ...options }),
  hosts: (query: ListSearch, options: Options) => client.GET('/api/v1/hosts', { params: { query }, ...options }),
  volumes: (query: ListSearch, options: Options) => client.GET('/api/v1/volumes', { params: { query }, ...options }),
  arrays: (query: ListSearch, options: Options) => client.GET('/api/v1/arrays', { params: { query }, ...options }),
}

const ONE = {
  datastores: (datastore_id: number, options: Options) =>
    client.GET('/api/v1/datastores/{datastore_id}', { params: { path: { datastore_id } }, ...options }),
  vms: (vm_id: number, options: Options) =>
    client.GET('/api/v1/vms/{vm_id}', { params: { path: { vm_id } }, ...options }),
  hosts: (host_id: number, options: Options) =>
    client.GET('/api/v1/hosts/{host_id}', { params: { path: { host_id } }, ...options }),
  volumes: (volume_id: number, options: Options) =>
    client.GET('/api/v1/volumes/{volume_id}', { params: { path: { volume_id } }, ...options }),
  arrays: (array_id: number, options: Options) =>
    client.GET('/api/v1/arrays/{array_id}', { params: { path: { array_id } }, ...options }),
}

const SERIES = {
  datastores: (datastore_id: number, query: Window, options: Options) =>
    client.GET('/api/v1/datastores/{datastore_id}/series', { params: { path: { datastore_id }, query }, ...options }),
  vms: (vm_id: number, query: Window, options: Options) =>
    client.GET('/api/v1/vms/{vm_id}/series', { params: { path: { vm_id }, query }, ...options }),
  hosts: (host_id: number, query: Window, options: Options) =>
    client.GET('/api/v1/hosts/{host_id}/series', { params: { path: { host_id }, query }, ...options }),
  volumes: (volume_id: number, query: Window, options: Options) =>
    client.GET('/api/v1/volumes/{volume_id}/series', { params: { path: { volume_id }, query }, ...options }),
  arrays: (array_id: number, query: Window, options: Options) =>
    client.GET('/api/v1/arrays/{array_id}/series', { params: { path: { array_id }, query }, ...options }),
}

export const listQuery = <Kind extends EntityKind>(kind: Kind, params: ListParams, offset: number) =>
  queryOptions({
    queryKey: ['list', kind, params, offset] as const,
    queryFn: ({ signal }) => {
      const { filters, sort, window } = params
      const search = { ...filters, sort, ...(window === null ? {} : rangeQuery(window)), limit: PAGE_SIZE, offset }
      const list = call(
        requestsCopy.list(kindNames[kind].nouns),
        (options): Promise<Answer<unknown>> => LIST[kind](search, options),
        {
          signal,
        },
      )
      return list as Promise<ListPage<EntityTypes[Kind]['row']>>
    },
    placeholderData: keepPreviousData,
  })

/** What a list said a thing is called: its own answer is not needed to name it. */
export function knownName(cache: QueryClient, kind: EntityKind, id: number): string | null {
  const lists = cache.getQueriesData<ListPage<{ id: number; name: string }>>({ queryKey: ['list', kind] })
  const found = lists.flatMap(([, page]) => page?.items ?? []).find((row) => row.id === id)
  return found === undefined ? null : visibleName(found.name)
}

export const oneQuery = <Kind extends EntityKind>(kind: Kind, id: number) =>
  queryOptions({
    queryKey: ['one', kind, id] as const,
    queryFn: async ({ signal, client: cache, queryKey }) => {
      type One = EntityTypes[Kind]['one']
      const summed = (await sectionOfSummary(cache, queryKey, 'object', { kind, id })) as One | null
      if (summed !== null) return summed
      const name = knownName(cache, kind, id)
      // Its number is Gavel's own and tells nobody anything.
      const what =
        name === null
          ? requestsCopy.thisObject(kindNames[kind].noun)
          : requestsCopy.namedObject(kindNames[kind].noun, name)
      const one = call(what, (options): Promise<Answer<unknown>> => ONE[kind](id, options), { signal })
      return one as Promise<One>
    },
  })

export function callSeries(kind: EntityKind, id: number, range: Range, detail: Window['detail'], signal: AbortSignal) {
  const query = { ...rangeQuery(range), points: POINTS, detail }
  return call(requestsCopy.objectCounters(kindNames[kind].noun), (options) => SERIES[kind](id, query, options), {
    signal,
  })
}

/** Of the object itself and of each of its devices, disks and volumes, which is a lot. */
export const seriesQuery = (kind: EntityKind, id: number, range: Range) =>
  queryOptions({
    queryKey: ['series', kind, id, range] as const,
    queryFn: ({ signal }) => callSeries(kind, id, range, 'parts', signal),
    // Comparing thousands of numbers with thousands takes longer than drawing them.
    structuralSharing: false,
    // A new window keeps the former picture until its own numbers are there; another object must not.
    placeholderData: (previous, query) =>
      query?.queryKey[2] === id && query.queryKey[1] === kind ? previous : undefined,
  })

export const sourcesQuery = () =>
  queryOptions({
    queryKey: ['sources'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.sources, (options) => client.GET('/api/v1/sources', options), { signal }),
  })

export const sourceQuery = (id: number) =>
  queryOptions({
    queryKey: ['sources', id] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.source,
        (options) => client.GET('/api/v1/sources/{source_id}', { params: { path: { source_id: id } }, ...options }),
        {
          signal,
        },
      ),
  })

/** Its newest runs; there are more of them in a day than anybody reads. */
export const sourceRunsQuery = (id: number, limit: number) =>
  queryOptions({
    queryKey: ['sources', id, 'runs', limit] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.sourceRuns,
        (options) =>
          client.GET('/api/v1/sources/{source_id}/runs', {
            params: { path: { source_id: id }, query: { limit } },
            ...options,
          }),
        { signal },
      ),
  })

export interface UnmatchedParams {
  search: string
  kind: UnmatchedRow['kind'] | null
  /** Only what somebody has to look at, only the rest, or all. */
  needs_action: boolean | null
  limit: number
}

/** Inventories are read every few minutes; nothing of this changes in between. What failed is tried again as everything is. */
const UNMATCHED_EVERY_MS = 60_000
const UNMATCHED_AGAIN_MS = 15_000

export const unmatchedQuery = ({ search, kind, needs_action, limit }: UnmatchedParams) =>
  queryOptions({
    queryKey: ['unmatched', search, kind, needs_action, limit] as const,
    queryFn: ({ signal }) => {
      const query = {
        search,
        limit,
        ...(kind === null ? {} : { kind }),
        ...(needs_action === null ? {} : { needs_action }),
      }
      return call(
        requestsCopy.unmatchedObjects,
        (options) => client.GET('/api/v1/unmatched', { params: { query }, ...options }),
        { signal },
      )
    },
    refetchInterval: ({ state }) => (state.error === null ? UNMATCHED_EVERY_MS : UNMATCHED_AGAIN_MS),
    placeholderData: keepPreviousData,
  })

const GUESTS_EVERY_MS = 15_000

export const guestsQuery = () =>
  queryOptions({
    queryKey: ['guests'] as const,
    queryFn: ({ signal }) => call(requestsCopy.guests, (options) => client.GET('/api/v1/guests', options), { signal }),
    refetchInterval: GUESTS_EVERY_MS,
  })

/** Sizes of tables change slowly. */
const STORAGE_EVERY_MS = 300_000

export const storageQuery = () =>
  queryOptions({
    queryKey: ['storage'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.storage, (options) => client.GET('/api/v1/storage', options), { signal }),
    refetchInterval: STORAGE_EVERY_MS,
  })

const IMPORTS_EVERY_MS = 15_000
/** While a file is read. */
const IMPORT_READING_MS = 2000

export const importsQuery = () =>
  queryOptions({
    queryKey: ['imports'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.imports, (options) => client.GET('/api/v1/imports', options), { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some((each) => each.state === 'waiting' || each.state === 'reading')
        ? IMPORT_READING_MS
        : IMPORTS_EVERY_MS,
  })

export const importHostsQuery = (import_id: number) =>
  queryOptions({
    queryKey: ['imports', import_id, 'hosts'] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.importHosts,
        (options) => client.GET('/api/v1/imports/{import_id}/hosts', { params: { path: { import_id } }, ...options }),
        { signal },
      ),
  })

const UNMATCHED_DISKS = 50

export const unmatchedGuestDisksQuery = () =>
  queryOptions({
    queryKey: ['guests', 'unmatched'] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.guestDisks,
        (options) =>
          client.GET('/api/v1/guests/disks', {
            params: { query: { unmatched: true, limit: UNMATCHED_DISKS } },
            ...options,
          }),
        { signal },
      ),
    refetchInterval: GUESTS_EVERY_MS,
  })

export const guestScriptsQuery = () =>
  queryOptions({
    queryKey: ['guest-scripts'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.guestScripts, (options) => client.GET('/api/v1/guests/scripts', options), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const sourceKindsQuery = () =>
  queryOptions({
    queryKey: ['source-kinds'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.sourceKinds, (options) => client.GET('/api/v1/source-kinds', options), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.search,
        (options) => client.GET('/api/v1/search', { params: { query: { q, limit: 20 } }, ...options }),
        { signal },
      ),
    enabled: q.length > 0,
    placeholderData: keepPreviousData,
  })

/** Whoever signed out elsewhere is told within a minute, as the live stream is. */
const SESSION_EVERY_MS = 60_000

export const sessionQuery = () =>
  queryOptions({
    queryKey: ['session'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.session, (options) => client.GET('/api/v1/session', options), { signal }),
    refetchInterval: SESSION_EVERY_MS,
  })

/** The list of pages. Menu, router and keyboard shortcuts are all made from it: a new page is one entry. */

import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { alertsNowQuery } from '../api/alerts'
import { diagnosisQuery, environmentLatencyQuery, overviewQuery } from '../api/diagnoses'
import { type EntityKind, oneQuery, sourcesQuery } from '../api/queries'
import * as navigationCopy from '../copy/navigation'
import { rankingOf, unfiltered } from '../features/overview/ranking'
import type { IconName } from '../kit/mark/Icon'
import { judgedRange, parseRange } from '../lib/range'
import type { FlatSearch } from '../lib/search'
import { numberOf } from '../lib/url'

interface Opened {
  params: Record<string, string>
  search: FlatSearch
}

export interface Page {
  path: string
  title: string
  load: () => Promise<{ default: ComponentType }>
  /** The code of its charts: on its way with the page's own, and not waited for. */
  charts?: () => Promise<unknown>
  /** Asks for what the page answers first, while its code is still on its way. */
  ask?: (client: QueryClient, opened: Opened) => void
  /** Pages with a place in the menu; `key` is typed after `g`. `to`: where a path with parameters leads. `counts`: what is counted beside it. */
  menu?: { icon: IconName; key: string; to?: string; counts?: 'alerts' }
  /** Without header and menu: screens on a wall. */
  bare?: boolean
}

/** Numbers of things have 27 bits; the API calls others mistyped. */
const BEYOND_ALL = 2 ** 27

const windowOf = (search: FlatSearch) => judgedRange(parseRange(search), search.span ?? '')

function askOverview(client: QueryClient, { search }: Opened) {
  const ranking = rankingOf(search, windowOf(search))
  void client.prefetchQuery(alertsNowQuery())
  void client.prefetchQuery(overviewQuery(unfiltered(ranking), 0))
  void client.prefetchQuery(sourcesQuery())
  void client.prefetchQuery(environmentLatencyQuery(parseRange(search)))
}

const loadAlertCharts = () =>
  Promise.all([import('../domain/breakdown/LatencyChart'), import('../domain/breakdown/WaterfallChart')])
const loadProof = () => import('../domain/diagnosis/Proof')

const askObject =
  (kind: EntityKind) =>
  (client: QueryClient, { params, search }: Opened) => {
    const id = numberOf(params.id ?? '')
    void client.prefetchQuery(alertsNowQuery())
    if (id === null || id >= BEYOND_ALL) return
    void client.prefetchQuery(oneQuery(kind, id))
    void client.prefetchQuery(diagnosisQuery(kind, id, windowOf(search)))
  }

export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: navigationCopy.overview,
    load: () => import('../features/overview/OverviewPage'),
    charts: () =>
      Promise.all([import('../features/overview/TreemapCard'), import('../features/overview/EnvironmentOverTime')]),
    ask: askOverview,
    menu: { icon: 'overview', key: 'o' },
  },
  {
    path: '/datastores',
    title: navigationCopy.datastores,
    load: () => import('../features/datastores/DatastoresPage'),
    menu: { icon: 'datastore', key: 'd' },
  },
  {
    path: '/datastores/$id',
    title: navigationCopy.datastore,
    load: () => import('../features/datastore/DatastorePage'),
    charts: loadProof,
    ask: askObject('datastores'),
  },
  {
    path: '/vms',
    title: navigationCopy.vms,
    load: () => import('../features/vms/VmsPage'),
    menu: { icon: 'vm', key: 'm' },
  },
  {
    path: '/vms/$id',
    title: navigationCopy.vm,
    load: () => import('../features/vm/VmPage'),
    charts: loadProof,
    ask: askObject('vms'),
  },
  {
    path: '/hosts',
    title: navigationCopy.hosts,
    load: () => import('../features/hosts/HostsPage'),
    menu: { icon: 'host', key: 'h' },
  },
  {
    path: '/hosts/$id',
    title: navigationCopy.host,
    load: () => import('../features/host/HostPage'),
    charts: loadProof,
    ask: askObject('hosts'),
  },
  {
    path: '/volumes',
    title: navigationCopy.volumes,
    load: () => import('../features/volumes/VolumesPage'),
    menu: { icon: 'volume', key: 'v' },
  },
  {
    path: '/volumes/$id',
    title: navigationCopy.volume,
    load: () => import('../features/volume/VolumePage'),
    charts: loadProof,
    ask: askObject('volumes'),
  },
  {
    path: '/arrays',
    title: navigationCopy.arrays,
    load: () => import('../features/arrays/ArraysPage'),
    menu: { icon: 'array', key: 'r' },
  },
  {
    path: '/arrays/$id',
    title: navigationCopy.array,
    load: () => import('../features/array/ArrayPage'),
    charts: loadProof,
    ask: askObject('arrays'),
  },
  {
    path: '/alerts',
    title: navigationCopy.alerts,
    load: () => import('../features/alerts/AlertsPage'),
    menu: { icon: 'alert', key: 'a', counts: 'alerts' },
  },
  {
    path: '/alerts/channels',
    title: navigationCopy.channels,
    load: () => import('../features/alerts/channels/ChannelsPage'),
  },
  { path: '/alerts/rules', title: navigationCopy.rules, load: () => import('../features/alerts/rules/RulesPage') },
  {
    path: '/alerts/silences',
    title: navigationCopy.silences,
    load: () => import('../features/alerts/silences/SilencesPage'),
  },
  {
    path: '/alerts/$id',
    title: navigationCopy.alert,
    load: () => import('../features/alerts/AlertPage'),
    charts: loadAlertCharts,
  },
  {
    path: '/sources',
    title: navigationCopy.sources,
    load: () => import('../features/sources/SourcesPage'),
    menu: { icon: 'source', key: 's' },
  },
  {
    path: '/wall/$board',
    title: navigationCopy.wall,
    load: () => import('../features/wall/WallPage'),
    menu: { icon: 'wall', key: 'w', to: '/wall/environment' },
    bare: true,
  },
]

export const HOME = '/'

/** Where the menu leads for a page. */
export const menuPath = (page: Page) => page.menu?.to ?? page.path

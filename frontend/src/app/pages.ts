/** The list of pages. Menu, router and keyboard shortcuts are all made from it: a new page is one entry. */

import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { alertsNowQuery } from '../api/alerts'
import { diagnosisQuery, environmentLatencyQuery, overviewQuery } from '../api/diagnoses'
import { type EntityKind, oneQuery, sourcesQuery } from '../api/queries'
import { showSummary } from '../api/summary'
import * as navigationCopy from '../copy/navigation'
import { FILTER_PARAMETERS } from '../domain/filters/filterValues'
import { KINDS, type Kind } from '../domain/kinds'
import {
  ALERT_SEVERITY,
  BOARD_SECONDS,
  BOARDS,
  BOUNDS,
  BREAKDOWN_DIRECTION,
  CHANNEL,
  CONTRIBUTED_LAYER,
  DIALOG,
  DISTANCE_METERS,
  FILTER,
  FINDING_RULE,
  FINDING_SEVERITY,
  FINDING_STATE,
  FINDINGS_SORT,
  GROUP,
  GROUP_KIND,
  GROUP_LABEL,
  NOTIFICATION_STATE,
  PART,
  RANKED_KIND,
  RANKING_SORT,
  SCREEN_INCHES,
  STACK,
  TAB,
  UNMATCHED,
  UNMATCHED_KIND,
  VOLUMES_SORT,
  WHATIF_PARAMETERS,
} from '../domain/parameters'
import { upgradeObjectAddress, upgradeRange } from '../domain/sections/oldAddresses'
import { rankingOf, unfiltered } from '../features/overview/ranking'
import type { IconName } from '../kit/mark/Icon'
import { COLUMNS, HIDDEN_LINES, type Parameter } from '../lib/parameters'
import { diagnosedRange, parseRange, trendRange } from '../lib/range'
import type { FlatSearch } from '../lib/search'
import { isNumbered, numberOf } from '../lib/url'

interface Opened {
  params: Record<string, string>
  search: FlatSearch
}

export interface Page {
  path: string
  title: string
  /** What its address can say, beside the time range. */
  parameters?: readonly Parameter[]
  /** An address as older links have it, as it is written today. */
  upgrade?: (search: FlatSearch, hash: string) => FlatSearch
  load: () => Promise<{ default: ComponentType }>
  /** The code of its charts: on its way with the page's own, and not waited for. */
  charts?: () => Promise<unknown>
  /** Asks for what the page answers first, while its code is still on its way. */
  ask?: (client: QueryClient, opened: Opened) => void
  /** Reached by links only: without its address it shows nothing. */
  isLinked?: boolean
  /** Pages with a place in the menu; `key` is typed after `g`. `to`: where a path with parameters leads. `counts`: what is counted beside it. */
  menu?: { icon: IconName; key: string; to?: string; counts?: 'alerts' }
  /** Without header and menu: screens on a wall. */
  bare?: boolean
}

const windowOf = (search: FlatSearch) => diagnosedRange(parseRange(search))

function askOverview(client: QueryClient, { search }: Opened) {
  const ranking = rankingOf(search, windowOf(search))
  void client.prefetchQuery(alertsNowQuery())
  void client.prefetchQuery(overviewQuery(unfiltered(ranking), 0))
  void client.prefetchQuery(sourcesQuery())
  void client.prefetchQuery(environmentLatencyQuery(trendRange(parseRange(search))))
}

const loadAlertCharts = () =>
  Promise.all([import('../domain/breakdown/LatencyChart'), import('../domain/breakdown/WaterfallChart')])
const loadSummary = () => import('../domain/sections/summary')

/** Those that say what the diagnosis names. */
const TABS_WITH_DIAGNOSIS: readonly string[] = ['summary', 'path', 'counters']

const askObject =
  (kind: EntityKind) =>
  (client: QueryClient, { params, search }: Opened) => {
    const id = numberOf(params.id ?? '')
    void client.prefetchQuery(alertsNowQuery())
    if (!isNumbered(id)) return
    const range = parseRange(search)
    if ((search.tab ?? TAB.fallback) === TAB.fallback)
      showSummary(client, { kind, id, window: diagnosedRange(range), trend: trendRange(range) })
    void client.prefetchQuery(oneQuery(kind, id))
    if (TABS_WITH_DIAGNOSIS.includes(search.tab ?? TAB.fallback))
      void client.prefetchQuery(diagnosisQuery(kind, id, windowOf(search)))
  }

/** The code of a kind's list, and of the page of one of them. */
const CODE: Record<EntityKind, Record<'list' | 'one', Page['load']>> = {
  datastores: {
    list: () => import('../features/datastores/DatastoresPage'),
    one: () => import('../features/datastore/DatastorePage'),
  },
  vms: {
    list: () => import('../features/vms/VmsPage'),
    one: () => import('../features/vm/VmPage'),
  },
  hosts: {
    list: () => import('../features/hosts/HostsPage'),
    one: () => import('../features/host/HostPage'),
  },
  volumes: {
    list: () => import('../features/volumes/VolumesPage'),
    one: () => import('../features/volume/VolumePage'),
  },
  arrays: {
    list: () => import('../features/arrays/ArraysPage'),
    one: () => import('../features/array/ArrayPage'),
  },
}

const LIST_PARAMETERS = [...FILTER_PARAMETERS, RANKING_SORT, COLUMNS]
const CHART_PARAMETERS = [HIDDEN_LINES, STACK, BOUNDS]
// An array's page has its volumes, which are filtered and sorted as in a list.
const OBJECT_PARAMETERS = [TAB, BREAKDOWN_DIRECTION, PART, CONTRIBUTED_LAYER, ...CHART_PARAMETERS]
const ARRAY_PARAMETERS = [...OBJECT_PARAMETERS, FILTER, VOLUMES_SORT]

const pagesOf = ({ id, title, titles, subject, key }: Kind): Page[] => [
  { path: `/${id}`, title: titles, parameters: LIST_PARAMETERS, load: CODE[id].list, menu: { icon: subject, key } },
  {
    path: `/${id}/$id`,
    title,
    parameters: id === 'arrays' ? ARRAY_PARAMETERS : OBJECT_PARAMETERS,
    upgrade: upgradeObjectAddress,
    load: CODE[id].one,
    charts: loadSummary,
    ask: askObject(id),
  },
]

export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: navigationCopy.overview,
    parameters: [...FILTER_PARAMETERS, RANKED_KIND, RANKING_SORT, COLUMNS, HIDDEN_LINES],
    upgrade: upgradeRange,
    load: () => import('../features/overview/OverviewPage'),
    charts: () =>
      Promise.all([import('../features/overview/TreemapCard'), import('../features/overview/EnvironmentOverTime')]),
    ask: askOverview,
    menu: { icon: 'overview', key: 'o' },
  },
  ...KINDS.flatMap(pagesOf),
  {
    path: '/groups',
    title: navigationCopy.groups,
    parameters: [FILTER, GROUP_LABEL, RANKING_SORT, COLUMNS],
    load: () => import('../features/groups/GroupsPage'),
    menu: { icon: 'group', key: 'p' },
  },
  {
    path: '/group',
    title: navigationCopy.group,
    parameters: [...FILTER_PARAMETERS, GROUP, GROUP_KIND, RANKING_SORT, COLUMNS, HIDDEN_LINES],
    isLinked: true,
    load: () => import('../features/overview/GroupPage'),
    charts: () =>
      Promise.all([import('../features/overview/TreemapCard'), import('../features/overview/GroupOverTime')]),
  },
  {
    path: '/alerts',
    title: navigationCopy.alerts,
    parameters: [FILTER, ALERT_SEVERITY],
    load: () => import('../features/alerts/AlertsPage'),
    menu: { icon: 'alert', key: 'a', counts: 'alerts' },
  },
  {
    path: '/alerts/channels',
    title: navigationCopy.channels,
    parameters: [CHANNEL, NOTIFICATION_STATE],
    load: () => import('../features/alerts/channels/ChannelsPage'),
  },
  {
    path: '/alerts/rules',
    title: navigationCopy.rules,
    parameters: [FILTER],
    load: () => import('../features/alerts/rules/RulesPage'),
  },
  {
    path: '/alerts/silences',
    title: navigationCopy.silences,
    load: () => import('../features/alerts/silences/SilencesPage'),
  },
  {
    path: '/alerts/$id',
    title: navigationCopy.alert,
    parameters: [DIALOG, ...CHART_PARAMETERS],
    load: () => import('../features/alerts/AlertPage'),
    charts: loadAlertCharts,
  },
  {
    path: '/findings',
    title: navigationCopy.findings,
    parameters: [FILTER, FINDING_STATE, FINDING_SEVERITY, FINDING_RULE, FINDINGS_SORT],
    load: () => import('../features/findings/FindingsPage'),
    menu: { icon: 'finding', key: 'f' },
  },
  {
    path: '/findings/$id',
    title: navigationCopy.finding,
    load: () => import('../features/findings/FindingPage'),
  },
  {
    path: '/whatif',
    title: navigationCopy.whatIf,
    parameters: WHATIF_PARAMETERS,
    load: () => import('../features/whatif/WhatIfPage'),
    menu: { icon: 'settings', key: 'i' },
  },
  {
    path: '/sources',
    title: navigationCopy.sources,
    parameters: [DIALOG, FILTER, UNMATCHED, UNMATCHED_KIND],
    load: () => import('../features/sources/SourcesPage'),
    menu: { icon: 'source', key: 's' },
  },
  {
    path: '/wall/$board',
    title: navigationCopy.wall,
    parameters: [BOARDS, BOARD_SECONDS, SCREEN_INCHES, DISTANCE_METERS],
    load: () => import('../features/wall/WallPage'),
    menu: { icon: 'wall', key: 'w', to: '/wall/environment' },
    bare: true,
  },
]

export const HOME = '/'

/** Where the menu leads for a page. */
export const menuPath = (page: Page) => page.menu?.to ?? page.path

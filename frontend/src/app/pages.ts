/** The list of pages. Menu, router and keyboard shortcuts are all made from it: a new page is one entry. */

import type { ComponentType } from 'react'
import type { IconName } from '../components/Icon'

export interface Page {
  path: string
  title: string
  load: () => Promise<{ default: ComponentType }>
  /** Pages with a place in the menu; `key` is typed after `g`. `to`: where a path with parameters leads. `counts`: what is counted beside it. */
  menu?: { icon: IconName; key: string; to?: string; counts?: 'alerts' }
  /** Without header and menu: screens on a wall. */
  bare?: boolean
}

export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    load: () => import('../features/overview/OverviewPage'),
    menu: { icon: 'overview', key: 'o' },
  },
  {
    path: '/datastores',
    title: 'Datastores',
    load: () => import('../features/datastores/DatastoresPage'),
    menu: { icon: 'datastore', key: 'd' },
  },
  { path: '/datastores/$id', title: 'Datastore', load: () => import('../features/datastore/DatastorePage') },
  { path: '/vms', title: 'VMs', load: () => import('../features/vms/VmsPage'), menu: { icon: 'vm', key: 'm' } },
  { path: '/vms/$id', title: 'VM', load: () => import('../features/vm/VmPage') },
  {
    path: '/hosts',
    title: 'Hosts',
    load: () => import('../features/hosts/HostsPage'),
    menu: { icon: 'host', key: 'h' },
  },
  { path: '/hosts/$id', title: 'Host', load: () => import('../features/host/HostPage') },
  {
    path: '/volumes',
    title: 'Volumes',
    load: () => import('../features/volumes/VolumesPage'),
    menu: { icon: 'volume', key: 'v' },
  },
  { path: '/volumes/$id', title: 'Volume', load: () => import('../features/volume/VolumePage') },
  {
    path: '/arrays',
    title: 'Arrays',
    load: () => import('../features/arrays/ArraysPage'),
    menu: { icon: 'array', key: 'r' },
  },
  { path: '/arrays/$id', title: 'Array', load: () => import('../features/array/ArrayPage') },
  {
    path: '/alerts',
    title: 'Alerts',
    load: () => import('../features/alerts/AlertsPage'),
    menu: { icon: 'alert', key: 'a', counts: 'alerts' },
  },
  { path: '/alerts/channels', title: 'Channels', load: () => import('../features/alerts/channels/ChannelsPage') },
  { path: '/alerts/rules', title: 'Rules', load: () => import('../features/alerts/rules/RulesPage') },
  { path: '/alerts/silences', title: 'Silences', load: () => import('../features/alerts/silences/SilencesPage') },
  { path: '/alerts/$id', title: 'Alert', load: () => import('../features/alerts/AlertPage') },
  {
    path: '/sources',
    title: 'Sources',
    load: () => import('../features/sources/SourcesPage'),
    menu: { icon: 'source', key: 's' },
  },
  {
    path: '/wall/$board',
    title: 'Wall',
    load: () => import('../features/wall/WallPage'),
    menu: { icon: 'wall', key: 'w', to: '/wall/estate' },
    bare: true,
  },
]

export const HOME = '/'

/** Where the menu leads for a page. */
export const menuPath = (page: Page) => page.menu?.to ?? page.path

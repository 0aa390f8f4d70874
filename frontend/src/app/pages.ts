/** The list of pages. Menu, router and keyboard shortcuts are all made from it: a new page is one entry. */

import type { ComponentType } from 'react'
import type { IconName } from '../components/Icon'

export interface Page {
  path: string
  title: string
  load: () => Promise<{ default: ComponentType }>
  /** Pages with a place in the menu; `key` is typed after `g`. */
  menu?: { icon: IconName; key: string }
}

export const PAGES: readonly Page[] = [
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
    path: '/sources',
    title: 'Sources',
    load: () => import('../features/sources/SourcesPage'),
    menu: { icon: 'source', key: 's' },
  },
]

/** Where `/` leads. */
export const HOME = '/datastores'

/** The kinds of objects that have a list, a page and a diagnosis: one record each, in the order of the menu. */

import type { EntityKind } from '../api/queries'
import type { Ref } from '../api/types'
import { kindNames } from '../copy/kinds'
import * as listsCopy from '../copy/lists'
import type { IconName } from '../kit/mark/Icon'

export interface Kind {
  /** As addresses call it: `/datastores/7`. */
  id: EntityKind
  /** As the API calls one of them. */
  subject: Extract<Ref['kind'], IconName>
  noun: string
  nouns: string
  title: string
  titles: string
  /** Typed after `g`, it leads to the list. */
  key: string
  /** In place of a list without rows: what there is not, and where it comes from. */
  empty: { title: string; text: string }
}

export const KIND: Record<EntityKind, Kind> = {
  datastores: {
    id: 'datastores',
    subject: 'datastore',
    ...kindNames.datastores,
    key: 'd',
    empty: { title: listsCopy.noDatastores, text: listsCopy.noDatastoresText },
  },
  vms: {
    id: 'vms',
    subject: 'vm',
    ...kindNames.vms,
    key: 'm',
    empty: { title: listsCopy.noVms, text: listsCopy.noVmsText },
  },
  hosts: {
    id: 'hosts',
    subject: 'host',
    ...kindNames.hosts,
    key: 'h',
    empty: { title: listsCopy.noHosts, text: listsCopy.noHostsText },
  },
  volumes: {
    id: 'volumes',
    subject: 'volume',
    ...kindNames.volumes,
    key: 'v',
    empty: { title: listsCopy.noVolumes, text: listsCopy.noVolumesText },
  },
  arrays: {
    id: 'arrays',
    subject: 'array',
    ...kindNames.arrays,
    key: 'r',
    empty: { title: listsCopy.noArrays, text: listsCopy.noArraysText },
  },
}

export const KINDS: readonly Kind[] = Object.values(KIND)

/** The kind that an address names; undefined for any other word. */
export const kindInAddress = (word: string | undefined): Kind | undefined => KINDS.find(({ id }) => id === word)

/** The kind of what the API calls so; undefined for what has no page: a source, a cluster. */
export const kindOfSubject = (subject: string): Kind | undefined => KINDS.find((kind) => kind.subject === subject)

export const subjectOf = (kind: EntityKind, id: number) => ({ kind: KIND[kind].subject, id })

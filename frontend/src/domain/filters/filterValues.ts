/** The filters of lists and of the overview as addresses have them. What each is called, and what it takes, is in `fields`. */

import type { ListFilters } from '../../api/types'
import { LAYER_IDS } from '../../charts/ioPath'
import { choice, type Parameter, text } from '../../lib/parameters'
import type { FlatSearch } from '../../lib/search'
import { FILTER, SOURCE, WORST_SEVERITY_FIRST } from '../parameters'

/** By the API's name, beside the part of a name. `source` is the number of one. */
export const FILTERS = {
  severity: choice('severity', WORST_SEVERITY_FIRST, ''),
  layer: choice('layer', LAYER_IDS, ''),
  owner: text('owner'),
  application: text('application'),
  label: text('label'),
  vcenter: text('vcenter'),
  cluster: text('cluster'),
  array: text('array'),
  folder: text('folder'),
  ip: text('ip'),
  source: SOURCE,
} satisfies Record<string, Parameter>

export type FilterName = keyof typeof FILTERS
type FilterValues = Partial<Record<FilterName | 'q', string>>

export const FILTER_PARAMETERS: readonly Parameter[] = [FILTER, ...Object.values(FILTERS)]

/** The filters of an address by name; what cannot be read is none. */
export function filterValues(search: FlatSearch): FilterValues {
  const given = FILTER_PARAMETERS.map(({ name, parse }) => [name, parse(search[name] ?? '') ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** The same as the API has them. */
export function filtersOf(search: FlatSearch): ListFilters {
  const { q, source, label, ...rest } = filterValues(search)
  return {
    ...(q === undefined ? {} : { search: q }),
    ...(source === undefined ? {} : { source: Number(source) }),
    ...(label === undefined ? {} : { label: [label] }),
    ...(rest as Omit<ListFilters, 'search' | 'source' | 'label'>),
  }
}

/** Everything that a view shows lives in the URL, as plain readable parameters. */

import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Parameter } from './parameters'
import { parseRange, type Range, rangeSearch, trendRange } from './range'
import { type FlatSearch, useFlatSearch } from './search'

/** Parameters that follow the viewer from page to page. */
export const SHARED_PARAMETERS = ['last', 'from', 'to'] as const

export function parseSearch(text: string): FlatSearch {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(search: FlatSearch): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  )
  const text = new URLSearchParams(given).toString().replaceAll('%3A', ':')
  return text ? `?${text}` : ''
}

/** The number that an address ends in; null where it is none. */
export const numberOf = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)

/** Whether there can be a thing of this number: they have 27 bits, and the API calls others mistyped. */
export const isNumbered = (id: number | null): id is number => id !== null && id < 2 ** 27

/** What changes, or what makes it of the parameters as they are. */
type Patch = FlatSearch | ((before: FlatSearch) => FlatSearch)

/** Changes some parameters and leaves the others. Typing replaces the history entry; choosing adds one. */
export function useSetSearch() {
  const navigate = useNavigate()
  return useCallback(
    (patch: Patch, { replace = false } = {}) => {
      const search = (before: FlatSearch) => ({ ...before, ...(typeof patch === 'function' ? patch(before) : patch) })
      void navigate({ to: '.', search: search as never, replace, resetScroll: false })
    },
    [navigate],
  )
}

/** One parameter of the address: what cannot be read is its fallback, which is left out of the address. */
export function useParameter<Value extends string>({ name, fallback, parse }: Parameter<Value>) {
  const search = useFlatSearch()
  const setSearch = useSetSearch()
  const set = useCallback(
    (value: string, options?: { replace?: boolean }) =>
      setSearch({ [name]: value === fallback ? undefined : value }, options),
    [setSearch, name, fallback],
  )
  const given = search[name]
  return [(given === undefined ? undefined : parse(given)) ?? fallback, set] as const
}

/** The time range, and the way to change it. */
export function useRange(): [Range, (range: Range) => void] {
  const { last, from, to } = useFlatSearch()
  const setSearch = useSetSearch()
  const range = useMemo(() => parseRange({ last, from, to }), [last, from, to])
  const setRange = useCallback((next: Range) => setSearch({ ...rangeSearch(next) }), [setSearch])
  return [range, setRange]
}

/** What is drawn over time: the range, or the last hour while the page is live. */
export function useTrend(): Range {
  const [range] = useRange()
  return useMemo(() => trendRange(range), [range])
}

/** The filters of a page: kept in its address. */

import { useMemo } from 'react'
import { useFlatSearch } from '../../lib/search'
import { useSetSearch } from '../../lib/url'
import { FIELDS, type FilterField } from './fields'
import { FILTER_PARAMETERS, type FilterName, filtersOf, filterValues } from './filterValues'

export function useFilters() {
  const search = useFlatSearch()
  const setSearch = useSetSearch()
  return useMemo(() => {
    const values = filterValues(search)
    return {
      /** By name, of those that are set. */
      values,
      /** As the API has them. */
      filters: filtersOf(search),
      /** Those that are set, beside the part of a name. */
      active: FIELDS.filter(({ name }) => values[name] !== undefined),
      isFiltered: Object.keys(values).length > 0,
      set: (name: FilterName | 'q', value: string, options?: { replace?: boolean }) =>
        setSearch({ [name]: value === '' ? undefined : value }, options),
      clear: () => setSearch(Object.fromEntries(FILTER_PARAMETERS.map(({ name }) => [name, undefined]))),
    }
  }, [search, setSearch])
}

/** What a value of a field is called. */
export const valueWord = ({ choices }: FilterField, value: string) =>
  choices?.find((one) => one.value === value)?.label ?? value

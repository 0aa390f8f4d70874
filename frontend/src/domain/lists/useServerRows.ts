/** The rows in sight of a long list, read page by page from the server. */

import { type UseQueryOptions, type UseQueryResult, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { type ListPage, PAGE_SIZE } from '../../api/queries'

/** Offsets of the pages that hold the positions `first` to `last`. */
export function pageOffsets(first: number, last: number, size: number): number[] {
  const from = Math.floor(first / size)
  const to = Math.floor(Math.max(first, last) / size)
  return Array.from({ length: to - from + 1 }, (_, index) => (from + index) * size)
}

const dataOf = <Page>(pages: UseQueryResult<Page>[]) => pages.map(({ data }) => data)

/**
 * `query` is the first page: it says how many rows there are and carries the state of the list. It stays subscribed while
 * other pages come and go, so that scrolling never takes the table away. `pageAt` asks for the page at an offset. `readAll` reads every
 * row, page after page; it raises what a request raises.
 */
export function useServerRows<Row, Page extends ListPage<Row>>(pageAt: (offset: number) => UseQueryOptions<Page>) {
  const [inSight, setInSight] = useState({ first: 0, last: 0 })
  const query = useQuery(pageAt(0))
  const offsets = pageOffsets(inSight.first, inSight.last, PAGE_SIZE).filter((offset) => offset > 0)
  const others = useQueries({ queries: offsets.map(pageAt), combine: dataOf<Page> })

  const newest = useMemo(() => rowsByPosition<Row>([query.data, ...others]), [query.data, others])
  // In step with what DataState shows of the same answer.
  const rows = useDeferredValue(newest)
  const onWindow = useCallback(
    (first: number, last: number) =>
      setInSight((before) => (before.first === first && before.last === last ? before : { first, last })),
    [],
  )
  const rowAt = useCallback((index: number) => rows.get(index), [rows])
  const client = useQueryClient()
  const readAll = async () => {
    const all: Row[] = []
    let total = 1
    for (let offset = 0; offset < total; offset += PAGE_SIZE) {
      const page = await client.fetchQuery(pageAt(offset))
      all.push(...page.items)
      total = page.total
    }
    return all
  }
  return { query, rowAt, onWindow, loaded: rows, readAll }
}

/** Rows by position. Each page says itself where it begins, so a page kept from a moment ago still lands in its place. */
export function rowsByPosition<Row>(pages: readonly (ListPage<Row> | undefined)[]): Map<number, Row> {
  const rows = new Map<number, Row>()
  for (const page of pages) {
    for (const [index, item] of page?.items.entries() ?? []) rows.set((page?.offset ?? 0) + index, item)
  }
  return rows
}

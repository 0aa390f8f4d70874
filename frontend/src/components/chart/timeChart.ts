/** What every chart over time shares: the cursor's box, the link to its window, zooming by a drag, switched-off lines. */

import { useCallback, useMemo } from 'react'
import { brushedRange, rangeSearch } from '../../lib/range'
import { type FlatSearch, useFlatSearch } from '../../lib/search'
import { stringifySearch, useRange, useSetSearch } from '../../lib/url'

/** This page with absolute times: shows everyone the same numbers, today and next week. */
export function permalink(from_ms: number, to_ms: number): string {
  const search = {
    ...Object.fromEntries(new URLSearchParams(location.search)),
    ...rangeSearch({ kind: 'fixed', from_ms, to_ms }),
  }
  return location.origin + location.pathname + stringifySearch(search)
}

/** The cursor's box: `render` answers what it says at a bucket; null: nothing. */
export function tooltip(render: (index: number) => HTMLElement | null, ink: { sunken: string; border: string }) {
  return {
    trigger: 'axis' as const,
    confine: true,
    position: besideCursor,
    transitionDuration: 0,
    backgroundColor: ink.sunken,
    borderColor: ink.border,
    padding: 10,
    formatter: (params: unknown) => {
      const first = (params as { dataIndex: number }[])[0]
      return (first && render(first.dataIndex)) ?? ''
    },
  }
}

/** On the side of the cursor that has more room: the numbers must not cover what they describe. */
function besideCursor(
  point: [number, number],
  _params: unknown,
  _element: unknown,
  _rect: unknown,
  size: { contentSize: [number, number]; viewSize: [number, number] },
): [number, number] {
  const gap = 24
  const left = point[0] > size.viewSize[0] / 2 ? point[0] - size.contentSize[0] - gap : point[0] + gap
  return [left, Math.max(0, Math.min(point[1] - size.contentSize[1] / 2, size.viewSize[1] - size.contentSize[1]))]
}

/** Which lines are switched off, kept in the URL so that a link shows the same lines. */
export function useHiddenLines(): ReadonlySet<string> {
  const { hide } = useFlatSearch()
  return useMemo(() => keysOf(hide), [hide])
}

const keysOf = (text = '') => new Set(text === '' ? [] : text.split(','))

/** Switches a line on or off: of those that are switched off by now, however far the drawing is behind. */
export function useToggleLine(): (key: string) => void {
  const setSearch = useSetSearch()
  return useCallback(
    (key: string) => {
      const toggled = ({ hide }: FlatSearch) => {
        const next = keysOf(hide)
        if (!next.delete(key)) next.add(key)
        return { hide: [...next].sort().join(',') || undefined }
      }
      setSearch(toggled, { replace: true })
    },
    [setSearch],
  )
}

/** A drag over the plot becomes the window. */
export function useBrush(): (a_ms: number, b_ms: number) => void {
  const [, setRange] = useRange()
  return useCallback(
    (a_ms: number, b_ms: number) => {
      const range = brushedRange(a_ms, b_ms)
      if (range) setRange(range)
    },
    [setRange],
  )
}

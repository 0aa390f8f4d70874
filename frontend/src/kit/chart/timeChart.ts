/** What every chart over time shares: what its cursor says, the link to its window, zooming by a drag, switched-off lines. */

import { useCallback, useMemo } from 'react'
import { type CursorInput, cursorReading } from '../../charts/tooltip'
import { HIDDEN_LINES } from '../../lib/parameters'
import { usePreferences } from '../../lib/preferences'
import { brushedRange, rangeSearch } from '../../lib/range'
import type { FlatSearch } from '../../lib/search'
import { stringifySearch, useParameter, useRange, useSetSearch } from '../../lib/url'
import { cursorElement } from './cursorElement'
import type { TimeCursor } from './timeCursor'
import { useTokens } from './useTokens'

/** This page with absolute times: shows everyone the same numbers, today and next week. */
export function permalink(from_ms: number, to_ms: number): string {
  const search = {
    ...Object.fromEntries(new URLSearchParams(location.search)),
    ...rangeSearch({ kind: 'fixed', from_ms, to_ms }),
  }
  return location.origin + location.pathname + stringifySearch(search)
}

/** What the cursor says of each bucket. */
export function useTimeCursor({ panels, times_ms, step_s, events }: Omit<CursorInput, 'zone'>): TimeCursor {
  const { zone } = usePreferences()
  const tokens = useTokens()
  return useMemo(() => {
    const input = { panels, times_ms, step_s, events, zone }
    return { times_ms, step_s, read: (index) => cursorElement(cursorReading(input, index), tokens) }
  }, [panels, times_ms, step_s, events, zone, tokens])
}

/** Which lines are switched off, kept in the URL so that a link shows the same lines. */
export function useHiddenLines(): ReadonlySet<string> {
  const [hide] = useParameter(HIDDEN_LINES)
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

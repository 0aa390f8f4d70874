/** The instant at which the page's charts are being read, for tables that follow the cursor. */

import { useEffect, useMemo, useState } from 'react'
import type { Range } from '../../lib/range'
import { followCursor } from './cursorTime'

const MINUTE_MS = 60_000
/** So long the cursor rests before anything is asked of the server. */
const REST_MS = 180

/** Null while no chart is being read. `rest_ms`: how long the cursor has to stay before it counts. */
export function useCursorTime(rest_ms = 0): number | null {
  const [at_ms, setAt] = useState<number | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = followCursor((next) => {
      clearTimeout(timer)
      if (rest_ms === 0) setAt(next)
      else timer = setTimeout(setAt, rest_ms, next)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [rest_ms])
  return at_ms
}

/** The minute under the cursor once it rests, as a window to ask about; null while no chart is being read. */
export function useCursorMinute(): Extract<Range, { kind: 'fixed' }> | null {
  const at_ms = useCursorTime(REST_MS)
  const from_ms = at_ms === null ? null : Math.floor(at_ms / MINUTE_MS) * MINUTE_MS
  return useMemo(() => (from_ms === null ? null : { kind: 'fixed', from_ms, to_ms: from_ms + MINUTE_MS }), [from_ms])
}

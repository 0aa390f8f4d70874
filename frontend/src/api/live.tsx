/** Keeps the screen in step with the database: one event stream, polling when it is down, silence when the view is frozen. */

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { ownAddress } from '../lib/base'
import { serverNow } from '../lib/serverClock'
import type { LiveUpdate } from './types'

const ADDRESS = ownAddress('/api/v1/live')
const POLL_MS = 15_000
const FULL_REFRESH_MS = 300_000
const REOPEN_MS = 5_000
// Several streams report within a second; one redraw for all of them.
const GATHER_MS = 1_000

type LiveState = 'connecting' | 'live' | 'polling'

export interface Live {
  state: LiveState
  /** Since when the stream is down, by the server's clock; null while it is up. */
  downSince_ms: number | null
  frozen: boolean
}

const LiveContext = createContext<Live>({ state: 'connecting', downSince_ms: null, frozen: false })

export const useLive = () => useContext(LiveContext)

/** Reads one event; null when it is not one of ours. */
export function parseLive(data: string): LiveUpdate | null {
  try {
    const update: unknown = JSON.parse(data)
    return typeof update === 'object' && update !== null && 'revision' in update ? (update as LiveUpdate) : null
  } catch {
    return null
  }
}

// A frozen view shows what was; only the health of Gavel itself goes on.
const ALWAYS_LIVE = new Set(['sources'])
const DATA = new Set(['list', 'one', 'series', ...ALWAYS_LIVE])
/** Diagnoses change when minutes were attributed, not with every sample. */
const WITH_LEDGER = new Set([...DATA, 'ledger', 'summary', 'alerts'])

export function refresh(client: QueryClient, frozen: boolean, hasLedger = true): void {
  const keys = frozen ? ALWAYS_LIVE : hasLedger ? WITH_LEDGER : DATA
  void client.invalidateQueries({ predicate: (query) => keys.has(String(query.queryKey[0])) })
}

export function LiveProvider({ frozen, children }: { frozen: boolean; children: ReactNode }) {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Omit<Live, 'frozen'>>({ state: 'connecting', downSince_ms: null })
  const isFrozen = useEffectEvent(() => frozen)

  useEffect(() => {
    const follow = (streams?: ReadonlySet<string>) =>
      refresh(client, isFrozen(), streams === undefined || streams.has('ledger'))
    let wasDown = false
    // What a page has was asked for after its start, and after an outage anew: the stream's first update may be older than that.
    let asked_ms = serverNow() - performance.now()
    const followSoon = gathered(follow, GATHER_MS)
    return openStream({
      onUpdate: (streams, at_ms) => {
        if (isNews(at_ms, asked_ms)) followSoon(streams)
      },
      onUp: () => {
        setConnection({ state: 'live', downSince_ms: null })
        if (!wasDown) return
        wasDown = false
        asked_ms = serverNow()
        follow()
      },
      onDown: () => {
        wasDown = true
        setConnection((before) => ({ state: 'polling', downSince_ms: before.downSince_ms ?? serverNow() }))
      },
    })
  }, [client])

  const every_ms = connection.state === 'live' ? FULL_REFRESH_MS : POLL_MS
  useEffect(() => {
    const timer = setInterval(() => refresh(client, isFrozen()), every_ms)
    return () => clearInterval(timer)
  }, [client, every_ms])

  const live = useMemo(() => ({ ...connection, frozen }), [connection, frozen])
  return <LiveContext value={live}>{children}</LiveContext>
}

// As far as the clocks of browser and server may be apart without being noticed.
const CLOCKS_APART_MS = 2_000

/** Whether an update may say something that what was asked for since an instant does not have. */
export const isNews = (at_ms: number, asked_ms: number) => !(at_ms < asked_ms - CLOCKS_APART_MS)

/** Calls `action` once, `wait_ms` after the first of several calls, with the streams that any of them named. */
export function gathered(action: (streams: ReadonlySet<string>) => void, wait_ms: number) {
  let waiting: Set<string> | null = null
  return (streams: readonly string[] = []) => {
    if (waiting !== null) {
      for (const stream of streams) waiting.add(stream)
      return
    }
    const all = new Set(streams)
    waiting = all
    setTimeout(() => {
      waiting = null
      action(all)
    }, wait_ms)
  }
}

interface StreamHandlers {
  onUpdate: (streams: readonly string[], at_ms: number) => void
  onUp: () => void
  onDown: () => void
}

/** Opens the event stream and keeps it open. The browser reconnects by itself after a cut, but gives up after an error answer. */
export function openStream({ onUpdate, onUp, onDown }: StreamHandlers): () => void {
  let stream: EventSource | null = null
  let reopen: ReturnType<typeof setTimeout> | undefined

  function open() {
    stream = new EventSource(ADDRESS)
    stream.addEventListener('open', onUp)
    stream.addEventListener('update', (event) => {
      const update = parseLive(event.data)
      if (update !== null) onUpdate(update.streams ?? [], Date.parse(update.at))
    })
    stream.addEventListener('error', () => {
      onDown()
      if (stream?.readyState === EventSource.CLOSED) reopen = setTimeout(open, REOPEN_MS)
    })
  }

  open()
  return () => {
    clearTimeout(reopen)
    stream?.close()
  }
}

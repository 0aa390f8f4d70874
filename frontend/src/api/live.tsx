/** Keeps the screen in step with the database: one event stream, polling when it is down, silence when the view is frozen. */

import { type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { ownAddress } from '../lib/base'
import { browserNow, serverNow } from '../lib/clock'
import type { LiveUpdate } from './types'

const ADDRESS = ownAddress('/api/v1/live')
const POLL_MS = 15_000
const FULL_REFRESH_MS = 300_000
const REOPEN_MS = 5_000
// Several streams report within a second, half of which the server has gathered already; one redraw for all of them.
const GATHER_MS = 500

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
const ALWAYS_LIVE = ['sources']
const DATA = ['one', 'series', ...ALWAYS_LIVE]
/** Diagnoses, which rows of lists have too, and the values of alerts change when minutes were attributed, not with every sample. */
const OF_STREAM: Readonly<Record<string, readonly string[]>> = {
  ledger: [...DATA, 'list', 'ledger', 'summary', 'alerts'],
  alerts: ['alerts'],
  deliveries: ['alerts'],
}
const EVERYTHING = new Set(Object.values(OF_STREAM).flat())

/** How old an answer has to be before news make it worth asking again, in ms; the first that fits counts. */
const PACES_MS: readonly (readonly [key: readonly string[], pace_ms: number])[] = [
  // What hardly moves from one sample to the next.
  [['sources'], 10_000],
  [['alerts'], 30_000],
  // Of an hour and more, as one chart.
  [['ledger', 'environment'], 20_000],
  // Arrays are asked for these every three minutes.
  [['series', 'traffic'], 30_000],
  // A source stores what it measured stream by stream, seconds apart where the server is busy: once for all of them.
  [['one'], 5_000],
  [['series'], 5_000],
]

type Streams = ReadonlySet<string>

/** The first words of the keys that news of some streams concern; of everything without any. */
function concerned(streams: Streams | undefined, frozen: boolean): ReadonlySet<string> {
  if (frozen) return new Set(ALWAYS_LIVE)
  return streams === undefined ? EVERYTHING : new Set([...streams].flatMap((stream) => OF_STREAM[stream] ?? DATA))
}

/** Streams whose news are about alerts alone are followed at once, but for a storm; late detections are none of theirs. */
const OF_ALERTS = ['alerts', 'deliveries']
const STORM_MS = 5_000

function paceOf(key: QueryKey, streams: Streams | undefined): number {
  if (streams === undefined) return 0
  if (key[0] === 'alerts' && key[1] !== 'late' && OF_ALERTS.some((stream) => streams.has(stream))) return STORM_MS
  return PACES_MS.find(([words]) => words.every((word, index) => key[index] === word))?.[1] ?? 0
}

/** Asks again for what news of `streams` concern, by default for everything. Returns what it put off, by hash, for how many ms. */
export function refresh(client: QueryClient, frozen: boolean, streams?: Streams): ReadonlyMap<string, number> {
  const words = concerned(streams, frozen)
  const putOff = new Map<string, number>()
  void client.invalidateQueries({
    predicate: ({ queryKey, queryHash, state }) => {
      if (!words.has(String(queryKey[0]))) return false
      const wait_ms = paceOf(queryKey, streams) - (browserNow() - state.dataUpdatedAt)
      if (wait_ms > 0) putOff.set(queryHash, wait_ms)
      return wait_ms <= 0
    },
  })
  return putOff
}

/** Follows news, and what they put off once its time has come: once for all news meanwhile. */
export function follower(client: QueryClient, isFrozen: () => boolean) {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  function later(hash: string, wait_ms: number) {
    if (timers.has(hash)) return
    const since_ms = browserNow()
    const ask = () => {
      timers.delete(hash)
      // What was asked for meanwhile has it.
      const isOlder = ({ queryHash, state }: Query) => queryHash === hash && state.dataUpdatedAt <= since_ms
      void client.invalidateQueries({ predicate: isOlder })
    }
    timers.set(hash, setTimeout(ask, wait_ms))
  }
  return {
    follow(streams?: Streams) {
      for (const [hash, wait_ms] of refresh(client, isFrozen(), streams)) later(hash, wait_ms)
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

const NOTHING_NEW: Live = { state: 'live', downSince_ms: null, frozen: true }

/** In an offline environment nothing ever changes: nothing is followed. */
export function OfflineProvider({ children }: { children: ReactNode }) {
  return <LiveContext value={NOTHING_NEW}>{children}</LiveContext>
}

export function LiveProvider({ frozen, children }: { frozen: boolean; children: ReactNode }) {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Omit<Live, 'frozen'>>({ state: 'connecting', downSince_ms: null })
  const isFrozen = useEffectEvent(() => frozen)

  useEffect(() => {
    const { follow, stop } = follower(client, isFrozen)
    let wasDown = false
    // What a page has was asked for after its start, and after an outage anew: the stream's first update may be older than that.
    let asked_ms = serverNow() - performance.now()
    const followSoon = gathered(follow, GATHER_MS)
    const close = openStream({
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
    return () => {
      close()
      stop()
    }
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

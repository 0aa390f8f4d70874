import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { follower, gathered, isNews, openStream, parseLive, refresh } from './live'

class FakeStream extends EventTarget {
  static readonly CLOSED = 2
  static opened: FakeStream[] = []
  readyState = 1
  constructor() {
    super()
    FakeStream.opened.push(this)
  }
  close() {
    this.readyState = 2
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  FakeStream.opened = []
  vi.stubGlobal('EventSource', FakeStream)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const handlers = () => ({ onUpdate: vi.fn(), onUp: vi.fn(), onDown: vi.fn() })

describe('the live stream', () => {
  it('passes on updates and ignores what is not one', () => {
    const { onUpdate, ...rest } = handlers()
    openStream({ onUpdate, ...rest })
    const [stream] = FakeStream.opened
    stream?.dispatchEvent(new MessageEvent('update', { data: '{"revision": 4}' }))
    stream?.dispatchEvent(new MessageEvent('update', { data: '<html>' }))
    expect(onUpdate).toHaveBeenCalledTimes(1)
    expect(parseLive('[]')).toBeNull()
  })

  it('is opened again when the browser gave it up, and left to the browser when it did not', () => {
    const { onDown, ...rest } = handlers()
    const close = openStream({ onDown, ...rest })
    const [first] = FakeStream.opened
    first?.dispatchEvent(new Event('error'))
    vi.advanceTimersByTime(10_000)
    expect(FakeStream.opened).toHaveLength(1)
    if (first) first.readyState = FakeStream.CLOSED
    first?.dispatchEvent(new Event('error'))
    vi.advanceTimersByTime(10_000)
    expect(FakeStream.opened).toHaveLength(2)
    expect(onDown).toHaveBeenCalledTimes(2)
    close()
    expect(FakeStream.opened[1]?.readyState).toBe(FakeStream.CLOSED)
  })

  it('says when what it announces came, and what was asked for later has it', () => {
    const { onUpdate, ...rest } = handlers()
    openStream({ onUpdate, ...rest })
    const data = '{"revision": 4, "streams": ["ledger"], "at": "2026-11-21T12:00:10Z"}'
    FakeStream.opened[0]?.dispatchEvent(new MessageEvent('update', { data }))
    const at_ms = Date.parse('2026-11-21T12:00:10Z')
    expect(onUpdate).toHaveBeenCalledWith(['ledger'], at_ms)
    expect(isNews(at_ms, at_ms - 5_000)).toBe(true)
    expect(isNews(at_ms, at_ms + 5_000)).toBe(false)
    // Clocks that are not quite the same lose nothing, and an update without a time is always followed.
    expect(isNews(at_ms, at_ms + 1_000)).toBe(true)
    expect(isNews(Number.NaN, at_ms)).toBe(true)
  })

  it('redraws once for several updates within a second', () => {
    const redraw = vi.fn()
    const follow = gathered(redraw, 1000)
    follow()
    follow()
    expect(redraw).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1000)
    expect(redraw).toHaveBeenCalledTimes(1)
    follow()
    vi.advanceTimersByTime(1000)
    expect(redraw).toHaveBeenCalledTimes(2)
  })
})

it('updates within a second are gathered with all the streams that they name', () => {
  const redraw = vi.fn()
  const follow = gathered(redraw, 1000)
  follow(['array_volume'])
  follow(['ledger', 'array_volume'])
  vi.advanceTimersByTime(1000)
  expect(redraw.mock.calls).toEqual([[new Set(['array_volume', 'ledger'])]])
})

it('diagnoses are asked for again when minutes were attributed, not with every sample', () => {
  const client = new QueryClient()
  client.setQueryData(['ledger', 'diagnosis'], 1)
  const isStale = () => client.getQueryState(['ledger', 'diagnosis'])?.isInvalidated
  refresh(client, false, new Set(['array_volume']))
  expect(isStale()).toBe(false)
  refresh(client, false, new Set(['array_volume', 'ledger']))
  expect(isStale()).toBe(true)
})

it('the streams of one reading, stored one after the other, are asked for at once and once more after all of them', () => {
  const client = new QueryClient()
  const KEYS = [
    ['one', 'datastores', 5],
    ['series', 'datastores', 5, '-1h'],
  ]
  const answer = () => {
    for (const key of KEYS) client.setQueryData(key, 1)
  }
  const stale = () => KEYS.filter((key) => client.getQueryState(key)?.isInvalidated).length
  const { follow } = follower(client, () => false)
  answer()
  vi.advanceTimersByTime(20_000)
  follow(new Set(['host_device']))
  expect(stale()).toBe(2)
  answer()
  for (const stream of ['vm_disk', 'host_path', 'host_adapter']) {
    vi.advanceTimersByTime(1_000)
    follow(new Set([stream]))
    expect(stale()).toBe(0)
  }
  vi.advanceTimersByTime(2_000)
  expect(stale()).toBe(2)
})

describe('what hardly moves', () => {
  const KEYS = [['ledger', 'overview'], ['ledger', 'environment', '-1h'], ['sources'], ['alerts', 'now']]
  const staleOf = (client: QueryClient) =>
    KEYS.filter((key) => client.getQueryState(key)?.isInvalidated).map((key) => key.slice(0, 2).join(' '))
  function asked() {
    const client = new QueryClient()
    for (const key of KEYS) client.setQueryData(key, 1)
    return client
  }

  it('is asked for again when its answer is old enough, once for all news meanwhile', () => {
    const client = asked()
    const { follow } = follower(client, () => false)
    follow(new Set(['ledger']))
    expect(staleOf(client)).toEqual(['ledger overview'])
    vi.advanceTimersByTime(5_000)
    follow(new Set(['ledger']))
    vi.advanceTimersByTime(4_999)
    expect(staleOf(client)).toEqual(['ledger overview'])
    vi.advanceTimersByTime(1)
    expect(staleOf(client)).toEqual(['ledger overview', 'sources'])
    vi.advanceTimersByTime(20_000)
    expect(staleOf(client)).toEqual(['ledger overview', 'ledger environment', 'sources', 'alerts now'])
  })

  it('is asked for at once by news of its own, after an outage, and when its answer is old', () => {
    const client = asked()
    vi.advanceTimersByTime(5_000)
    follower(client, () => false).follow(new Set(['alerts']))
    expect(staleOf(client)).toEqual(['alerts now'])
    const another = asked()
    vi.advanceTimersByTime(30_000)
    follower(another, () => false).follow(new Set(['ledger']))
    expect(staleOf(another)).toHaveLength(KEYS.length)
    const afterwards = asked()
    follower(afterwards, () => false).follow()
    expect(staleOf(afterwards)).toHaveLength(KEYS.length)
  })

  it('is not asked for again when it was asked for meanwhile', () => {
    const client = asked()
    follower(client, () => false).follow(new Set(['ledger']))
    vi.advanceTimersByTime(2_000)
    client.setQueryData(['sources'], 2)
    vi.advanceTimersByTime(28_000)
    expect(staleOf(client)).toEqual(['ledger overview', 'ledger environment', 'alerts now'])
  })

  it('is not asked for any more once the page has left the stream', () => {
    const client = asked()
    const { follow, stop } = follower(client, () => false)
    follow(new Set(['ledger']))
    stop()
    vi.advanceTimersByTime(60_000)
    expect(staleOf(client)).toEqual(['ledger overview'])
  })
})

describe('a frozen view', () => {
  it('stands still but for the health of the sources', () => {
    const client = new QueryClient()
    for (const key of ['list', 'series', 'sources']) client.setQueryData([key], 1)
    const isStale = (key: string) => client.getQueryState([key])?.isInvalidated
    refresh(client, true)
    expect(['list', 'series', 'sources'].map(isStale)).toEqual([false, false, true])
    refresh(client, false)
    expect(['list', 'series', 'sources'].map(isStale)).toEqual([true, true, true])
  })
})

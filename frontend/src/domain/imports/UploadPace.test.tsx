import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NO_TRACK, type Track, withProgress } from './pace'
import { UploadPace } from './UploadPace'

const [MB, SIZE] = [1_000_000, 2_100_000_000]
const START_MS = Date.parse('2026-11-26T10:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS })
  // The page's clock begins with whoever looks at it first.
  render(shown(NO_TRACK, 0)).unmount()
})
afterEach(() => vi.useRealTimers())

const shown = (track: Track, sent: number) => <UploadPace name="a.csv" size={SIZE} sent={sent} track={track} />

const spoken = () => screen.getByRole('status').textContent

/** So many MB a second, confirmed every second. */
function running(seconds: number, mb_per_s: number, from = NO_TRACK): [Track, number] {
  let track = from
  for (let s = 0; s <= seconds; s += 1) track = withProgress(track, s * mb_per_s * MB, false, START_MS + s * 1000)
  return [track, seconds * mb_per_s * MB]
}

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))

it('upload shows what has come, the rate and the time left, each once a second', () => {
  const { container, rerender } = render(shown(NO_TRACK, 0))
  expect(container.querySelector('p')?.textContent).toBe('0 B of 2.10 GB')
  pass(11_000)
  const [track, sent] = running(11, 38)
  rerender(shown(track, sent))
  expect(container.querySelector('p')?.textContent).toBe('418 MB of 2.10 GB, 38 MB/s, 45 s left')
  expect(screen.getByRole('progressbar', { name: 'a.csv' })).toHaveProperty('value', sent)
})

it('upload is spoken every 20 seconds, not every second', () => {
  const { rerender } = render(shown(NO_TRACK, 0))
  const words = new Set<string | null>()
  for (let second = 1; second <= 41; second += 1) {
    rerender(shown(...running(second, 38)))
    pass(1000)
    words.add(spoken())
  }
  expect([...words]).toEqual([
    'a.csv: 0 B of 2.10 GB',
    'a.csv: 760 MB of 2.10 GB, 38 MB/s, 36 s left',
    'a.csv: 1.52 GB of 2.10 GB, 38 MB/s, 16 s left',
  ])
})

it('upload that stalls says so at once, and shows no rate until it was measured again', () => {
  const [track, sent] = running(3, 38)
  const { container, rerender } = render(shown(track, sent))
  pass(1000)
  rerender(shown(withProgress(track, sent, true, START_MS + 4000), sent))
  const words = '114 MB of 2.10 GB, waiting for the connection'
  expect(container.querySelector('p')?.textContent).toBe(words)
  expect(spoken()).toBe(`a.csv: ${words}`)
  const resumed = withProgress({ ...track, isBroken: true }, sent, false, START_MS + 5000)
  rerender(shown(resumed, sent))
  expect(container.querySelector('p')?.textContent).toBe('114 MB of 2.10 GB')
  expect(spoken()).toBe('a.csv: 114 MB of 2.10 GB')
})

import { expect, it } from 'vitest'
import { NO_TRACK, paceOf, roundLeft, type Track, withProgress } from './pace'

const MB = 1_000_000

/** Confirmed at these seconds, so many MB altogether. */
const track = (...steps: readonly [number, number][]): Track =>
  steps.reduce((all, [s, mb]) => confirmed(all, s, mb), NO_TRACK)

const confirmed = (all: Track, s: number, mb: number) => withProgress(all, mb * MB, false, s * 1000)

it('upload rate is that of the last ten seconds, not of all the time before', () => {
  const slow = Array.from({ length: 31 }, (_, s): [number, number] => [s, s])
  const fast = Array.from({ length: 12 }, (_, s): [number, number] => [31 + s, 30 + 40 * (s + 1)])
  const { rate_bytes_per_s, left_s, isWaiting } = paceOf(track(...slow, ...fast), 2110 * MB, 42_000)
  expect(isWaiting).toBe(false)
  expect(rate_bytes_per_s).toBe(40 * MB)
  expect(left_s).toBe((2110 - 510) / 40)
})

it('upload has no rate and no time left before two seconds were measured', () => {
  expect(paceOf(NO_TRACK, MB, 0)).toEqual({ isWaiting: false, rate_bytes_per_s: null, left_s: null })
  expect(paceOf(track([0, 0], [1.9, 80]), 100 * MB, 1900).rate_bytes_per_s).toBeNull()
  expect(paceOf(track([0, 0], [2, 80]), 100 * MB, 2000)).toEqual({
    isWaiting: false,
    rate_bytes_per_s: 40 * MB,
    left_s: 0.5,
  })
})

it('upload of which nothing comes through waits, without a rate or a time left', () => {
  const running = track([0, 0], [1, 1], [2, 2], [3, 3])
  expect(paceOf(running, 10 * MB, 11_000).isWaiting).toBe(false)
  expect(paceOf(running, 10 * MB, 11_001)).toEqual({ isWaiting: true, rate_bytes_per_s: null, left_s: null })
})

it('upload whose first part takes long has a slow line, until that is unlikely', () => {
  expect(paceOf(track([0, 0]), 10 * MB, 30_000).isWaiting).toBe(false)
  expect(paceOf(track([0, 0]), 10 * MB, 30_001).isWaiting).toBe(true)
})

it('upload over a slow line is no stalled one: its parts take longer than the window', () => {
  const slow = track([0, 0], [15, 1], [30, 2], [45, 3])
  const { isWaiting, left_s } = paceOf(slow, 4 * MB, 70_000)
  expect(isWaiting).toBe(false)
  expect(left_s).toBeCloseTo(15)
  expect(paceOf(slow, 4 * MB, 91_000).isWaiting).toBe(true)
})

it('upload that broke off waits at once, and is measured anew when it goes on', () => {
  const broken = withProgress(track([0, 0], [2, 20], [4, 40]), 40 * MB, true, 4001)
  expect(paceOf(broken, 100 * MB, 4001)).toEqual({ isWaiting: true, rate_bytes_per_s: null, left_s: null })
  const resumed = confirmed(broken, 60, 41)
  expect(paceOf(resumed, 100 * MB, 60_000)).toEqual({ isWaiting: false, rate_bytes_per_s: null, left_s: null })
  expect(paceOf(confirmed(resumed, 62, 45), 100 * MB, 62_000).rate_bytes_per_s).toBe(2 * MB)
})

it('upload that is gone on with does not count what came before', () => {
  expect(paceOf(track([0, 900], [2, 902]), 1000 * MB, 2000).rate_bytes_per_s).toBe(MB)
})

it('time left is as precise as it can be, and never nothing before the end', () => {
  expect([0, 0.2, 44.1, 59.9, 61, 200.5, 601, 7300].map(roundLeft)).toEqual([1, 1, 45, 60, 70, 210, 660, 7320])
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Drawing } from './drawing'

type Seen = (entries: { isIntersecting: boolean }[]) => void

const FRAME_MS = 16
let sights: Seen[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => setTimeout(act, FRAME_MS))
  sights = []
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(seen: Seen) {
        sights.push(seen)
      }
      observe() {}
      disconnect() {}
    },
  )
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

/** A chart of 100 × 50 px on an element as large, and what was done to it. */
function drawn(log: string[], name: string) {
  const host = document.createElement('div')
  const size = { width: 100, height: 50 }
  Object.defineProperties(host, { clientWidth: { get: () => size.width }, clientHeight: { get: () => size.height } })
  const chart = {
    setOption: (option: object) => log.push(`${name} ${JSON.stringify(option)}`),
    resize: () => log.push(`${name} resized`),
    getWidth: () => 100,
    getHeight: () => 50,
    renderToCanvas: () => host as unknown as HTMLCanvasElement,
  }
  const drawing = new Drawing(chart as never, host)
  const see = sights.at(-1) as Seen
  return { drawing, host, size, see: (isIntersecting: boolean) => see([{ isIntersecting }]) }
}

it('draws one chart after a frame, and the next after the next', () => {
  const log: string[] = []
  const [one, two] = [drawn(log, 'one'), drawn(log, 'two')]
  for (const { drawing, see } of [one, two]) {
    see(true)
    drawing.show({ a: 1 })
  }
  expect(log).toEqual([])
  vi.advanceTimersByTime(FRAME_MS + 1)
  expect(log).toEqual(['one {"a":1}'])
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(log).toEqual(['one {"a":1}', 'two {"a":1}'])
})

it('draws only the newest of what came before its turn', () => {
  const log: string[] = []
  const { drawing, see } = drawn(log, 'chart')
  see(true)
  drawing.show({ a: 1 })
  drawing.show({ a: 2 })
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(log).toEqual(['chart {"a":2}'])
})

it('waits while it is out of sight, and is drawn when it comes into it', () => {
  const log: string[] = []
  const { drawing, see } = drawn(log, 'chart')
  drawing.show({ a: 1 })
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(log).toEqual([])
  see(true)
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(log).toEqual(['chart {"a":1}'])
})

it('takes its new size along', () => {
  const log: string[] = []
  const { drawing, see, size } = drawn(log, 'chart')
  see(true)
  size.height = 80
  drawing.show({ a: 1 })
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(log).toEqual(['chart {"a":1}', 'chart resized'])
})

it('is up to date in a picture, in sight or not', () => {
  const log: string[] = []
  const { drawing } = drawn(log, 'chart')
  drawing.show({ a: 1 })
  drawing.picture('white')
  expect(log).toEqual(['chart {"a":1}'])
})

it('is not drawn any more once it has ended', () => {
  const log: string[] = []
  const { drawing, see } = drawn(log, 'chart')
  see(true)
  drawing.show({ a: 1 })
  drawing.end()
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(log).toEqual([])
})

it('is busy until it is drawn, unless it is out of sight', () => {
  const log: string[] = []
  const { drawing, host, see } = drawn(log, 'chart')
  drawing.show({ a: 1 })
  expect(host.ariaBusy).toBe('true')
  see(false)
  expect(host.ariaBusy).toBeNull()
  see(true)
  expect(host.ariaBusy).toBe('true')
  vi.advanceTimersByTime(10 * FRAME_MS)
  expect(host.ariaBusy).toBeNull()
})

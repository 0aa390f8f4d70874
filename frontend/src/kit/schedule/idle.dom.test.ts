import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { whenIdle } from './idle'

let idle: (() => void)[] = []

beforeEach(() => {
  idle = []
  vi.stubGlobal('requestIdleCallback', (act: () => void) => idle.push(act))
})
afterEach(() => {
  while (idle.length > 0) idle.shift()?.()
})

it('does one thing each time the page is idle, in the order in which they were asked for', () => {
  const done: string[] = []
  for (const name of ['a', 'b']) whenIdle(() => done.push(name))
  expect(done).toEqual([])
  idle.shift()?.()
  expect(done).toEqual(['a'])
  idle.shift()?.()
  expect(done).toEqual(['a', 'b'])
  expect(idle).toEqual([])
})

it('does not do what is not wanted any more, and goes on after what failed', () => {
  const done: string[] = []
  const take = whenIdle(() => done.push('dropped'))
  whenIdle(() => {
    throw new Error('failed')
  })
  whenIdle(() => done.push('kept'))
  take()
  expect(() => idle.shift()?.()).toThrow('failed')
  idle.shift()?.()
  expect(done).toEqual(['kept'])
})

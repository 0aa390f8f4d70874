import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { OutOfSight } from './OutOfSight'

let see: (isIntersecting: boolean) => void = () => undefined
let idle: (() => void)[] = []

beforeEach(() => {
  idle = []
  vi.stubGlobal('requestIdleCallback', (act: () => void) => idle.push(act))
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(seen: (entries: { isIntersecting: boolean }[]) => void) {
        see = (isIntersecting) => act(() => seen([{ isIntersecting }]))
      }
      observe() {}
      disconnect() {}
    },
  )
})

const part = (text: string) => (
  <OutOfSight>
    <p>{text}</p>
  </OutOfSight>
)
const text = () => screen.getByRole('paragraph').textContent

it('follows at once while it is in sight', () => {
  const { rerender } = render(part('one'))
  see(true)
  rerender(part('two'))
  expect(text()).toBe('two')
})

it('follows out of sight when the page is idle', () => {
  const { rerender } = render(part('one'))
  see(false)
  rerender(part('two'))
  expect(text()).toBe('one')
  act(() => idle.shift()?.())
  expect(text()).toBe('two')
})

it('is as it should be when it comes into sight, and stays so when it leaves', () => {
  const { rerender } = render(part('one'))
  see(false)
  rerender(part('two'))
  see(true)
  expect(text()).toBe('two')
  see(false)
  expect(text()).toBe('two')
})

import { MantineProvider } from '@mantine/core'
import { act, cleanup, render, screen } from '@testing-library/react'
import type { ComponentType, ReactNode } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { onPress, standing, useAhead } from './onPress'

let idle: (() => void)[] = []

beforeEach(() => {
  idle = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('requestIdleCallback', (done: () => void) => idle.push(done))
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  while (idle.length > 0) idle.shift()?.()
})

const inMantine = (children: ReactNode) => <MantineProvider env="test">{children}</MantineProvider>
const settle = () => act(async () => undefined)
/** The page was drawn, and has nothing to do. */
const rest = () =>
  act(async () => {
    vi.runOnlyPendingTimers()
    idle.shift()?.()
  })

function dialogOf() {
  const seen: boolean[] = []
  function Dialog({ opened }: { opened: boolean }) {
    seen.push(opened)
    return opened ? <p>the dialog</p> : null
  }
  return { Dialog, seen }
}

it('fetches what stands closed while the page is idle, and opens it at the press', async () => {
  const { Dialog } = dialogOf()
  const load = vi.fn(async () => Dialog)
  const Box = standing(load)
  const { rerender } = render(inMantine(<Box opened={false} />))
  expect(load).not.toHaveBeenCalled()
  await rest()
  expect(load).toHaveBeenCalledOnce()
  rerender(inMantine(<Box opened />))
  expect(screen.getByText('the dialog')).toBeDefined()
})

it('opens at a press that comes before the page was idle, after it stood closed', async () => {
  const { Dialog, seen } = dialogOf()
  const Box = standing(async () => Dialog)
  render(inMantine(<Box opened />))
  await settle()
  expect(screen.getByText('the dialog')).toBeDefined()
  expect([seen[0], seen.at(-1)]).toEqual([false, true])
})

it('says that the code cannot be had only when it is pressed, and tries again at the next press', async () => {
  const { Dialog } = dialogOf()
  const load = vi.fn<() => Promise<ComponentType<{ opened: boolean }>>>()
  load.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away')).mockResolvedValue(Dialog)
  const Box = standing(load)
  const { rerender } = render(inMantine(<Box opened={false} />))
  await rest()
  expect(screen.queryByRole('alert')).toBeNull()
  rerender(inMantine(<Box opened />))
  await settle()
  expect(screen.getByRole('alert').textContent).toContain('This could not be loaded')
  rerender(inMantine(<Box opened={false} />))
  expect(screen.queryByRole('alert')).toBeNull()
  rerender(inMantine(<Box opened />))
  await settle()
  expect(screen.getByText('the dialog')).toBeDefined()
})

it('draws a dialog at once that its page fetched ahead', async () => {
  const load = vi.fn(async () => ({ name }: { name: string }) => <p>{name}</p>)
  const Dialog = onPress(load)
  function Page({ isOpen }: { isOpen: boolean }) {
    useAhead(Dialog)
    return isOpen ? <Dialog name="a rule" /> : null
  }
  const { rerender } = render(inMantine(<Page isOpen={false} />))
  await rest()
  rerender(inMantine(<Page isOpen />))
  expect(screen.getByText('a rule')).toBeDefined()
  expect(load).toHaveBeenCalledOnce()
})

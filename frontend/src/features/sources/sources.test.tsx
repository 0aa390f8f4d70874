import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { changeSource, removeSource } from '../../api/commands'
import type { SourceOut } from '../../api/types'
import { worstFirst } from '../../domain/sources/SourceMark'
import { RemoveDialog } from './RemoveDialog'
import { SwitchedOff } from './SwitchedOff'
import { summary } from './sourceWords'

vi.mock('../../api/commands', () => ({ changeSource: vi.fn(async () => null), removeSource: vi.fn(async () => null) }))

let isAdmin = true
vi.mock('../../api/session', () => ({ useSession: () => ({ isAdmin }) }))

const SOURCE = {
  id: 7,
  name: 'fa-west',
  state: 'live',
  enabled: true,
  entities: { volume: 11, pod: 1, array_host: 12 },
  warnings: [] as string[],
} as unknown as SourceOut

function dialog(source: SourceOut) {
  const onClose = vi.fn()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <RemoveDialog source={source} onClose={onClose} />
      </MantineProvider>
    </QueryClientProvider>,
  )
  return onClose
}

beforeEach(() => vi.clearAllMocks())

it('removing says what disappears, that it cannot be undone, and what it begins with when it is added again', () => {
  dialog(SOURCE)
  const words = screen.getByRole('dialog').textContent
  expect(words).toContain('Its 11 volumes, 1 pod, 12 array hosts and all their samples and diagnoses are deleted')
  expect(words).toContain('This cannot be undone')
})

it('switching off is offered instead, and removes nothing', async () => {
  const onClose = dialog(SOURCE)
  fireEvent.click(screen.getByRole('button', { name: 'Pause instead' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(changeSource).toHaveBeenCalledWith(7, { enabled: false })
  expect(removeSource).not.toHaveBeenCalled()
})

function switchedOff() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <SwitchedOff source={{ ...SOURCE, enabled: false, state: 'disabled' }} />
      </MantineProvider>
    </QueryClientProvider>,
  )
}

it('what is switched off is switched on in one press, by whoever may, and a refusal is told', async () => {
  vi.mocked(changeSource).mockRejectedValueOnce(new Error('The database does not answer.'))
  isAdmin = true
  switchedOff()
  fireEvent.click(screen.getByRole('button', { name: 'Resume fa-west' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Not resumed: The database does not answer.')
  expect(changeSource).toHaveBeenCalledWith(7, { enabled: true })
})

it('a reader is told that a source is switched off, without a button', () => {
  isAdmin = false
  switchedOff()
  expect(screen.getByText(/^Paused: not polled/)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})

it('what is switched off already can only be removed or kept', async () => {
  const onClose = dialog({ ...SOURCE, enabled: false })
  expect(screen.queryByRole('button', { name: 'Pause instead' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(removeSource).toHaveBeenCalledWith(7)
})

it('the worst source comes first in the list and in the summary', () => {
  const states = (['live', 'disabled', 'waiting', 'failing', 'late'] as const).map((state) => ({ ...SOURCE, state }))
  expect(worstFirst(states).map(({ state }) => state)).toEqual(['failing', 'late', 'waiting', 'live', 'disabled'])
  const warned = { ...SOURCE, name: 'warned', warnings: ['something'] }
  expect(worstFirst([SOURCE, warned]).map(({ name }) => name)).toEqual(['warned', 'fa-west'])
  expect(summary([...states, SOURCE])).toBe('6: 1 failing, 1 delayed, 1 waiting, 2 live, 1 paused')
  expect(summary([SOURCE, SOURCE])).toBe('2, all live')
})

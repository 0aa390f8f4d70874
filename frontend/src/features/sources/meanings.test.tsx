import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { setMeanings } from '../../api/labels'
import type { LabelName } from '../../api/types'
import { MeaningsForm } from './MeaningsCard'

const session = { isAdmin: true }
vi.mock('../../api/session', () => ({ useSession: () => session }))
vi.mock('../../api/labels', async (actual) => {
  const own = await actual<typeof import('../../api/labels')>()
  const answering = (query: object, data: unknown) => ({ ...query, queryFn: async () => data })
  return {
    ...own,
    setMeanings: vi.fn(async (body: object) => body),
    vmCountQuery: (label: string | null) =>
      answering(own.vmCountQuery(label), label === null ? 48 : label === 'team' ? 31 : 0),
    labelValuesQuery: (name: string) =>
      answering(
        own.labelValuesQuery(name),
        name === 'team' ? ['a', 'b', 'c', 'd', 'e', 'f'].map((value, n) => ({ value, objects: 9 - n })) : [],
      ),
  }
})

const LABELS: LabelName[] = [
  { name: 'team', kinds: ['attribute'], objects: 31, values: 6 },
  { name: 'Application', kinds: ['tag'], objects: 1, values: 1 },
]

const show = () =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MantineProvider env="test">
        <MeaningsForm labels={LABELS} chosen={{ owner: 'owner', application: 'application' }} />
      </MantineProvider>
    </QueryClientProvider>,
  )

it('a label that no object has is offered as it is, and one of another case is the same', () => {
  show()
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Owner label' }).value).toBe('owner')
  expect(screen.getByRole('option', { name: 'owner (no object)' })).toBeTruthy()
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Application label' }).value).toBe('Application')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
})

it('a choice says how many VMs get a value before it is saved', async () => {
  show()
  fireEvent.change(screen.getByRole('combobox', { name: 'Owner label' }), { target: { value: 'team' } })
  expect(await screen.findByText('31 of 48 VMs have a value')).toBeTruthy()
  expect(screen.getByText('a (9), b (8), c (7), d (6) and 2 more')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(setMeanings).toHaveBeenCalledWith({ owner: 'team', application: 'application' }))
})

it('a refusal is shown, and what was chosen stays', async () => {
  vi.mocked(setMeanings).mockRejectedValueOnce(new Error('The database is read-only.'))
  show()
  fireEvent.change(screen.getByRole('combobox', { name: 'Owner label' }), { target: { value: 'team' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('The database is read-only.')).toBeTruthy()
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Owner label' }).value).toBe('team')
})

it('without signing in nothing can be chosen', () => {
  session.isAdmin = false
  show()
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Owner label' }).disabled).toBe(true)
  expect(screen.getByText('Sign in to change the labels.')).toBeTruthy()
  session.isAdmin = true
})

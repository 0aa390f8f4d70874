// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useFormerlyNamed } from './useFormerlyNamed'

const at = (id: number, kind: string, array: string) => ({
  id,
  subject: { kind, id: id * 10, name: '' },
  labels: { array },
})
const asked = vi.hoisted(() => vi.fn())

vi.mock('../../api/alerts', () => ({
  alertsNowQuery: () => ({
    queryKey: ['now'],
    queryFn: () => ({
      alerts: [at(1, 'datastore', 'fa-before'), at(2, 'volume', 'fa-before'), at(3, 'datastore', 'fa-2')],
      pending: [at(4, 'datastore', 'fa-before')],
    }),
  }),
}))
vi.mock('../../api/queries', () => ({
  listQuery: () => ({
    queryKey: ['list'],
    queryFn: () => ({ items: [{ name: 'fa-now' }, { name: 'fa-2' }], total: 2 }),
  }),
  oneQuery: (kind: string, id: number) => ({
    queryKey: ['one', kind, id],
    queryFn: () => {
      asked(kind, id)
      const array = { id: id === 40 ? 2 : 1 }
      return kind === 'volumes' ? { id, array } : { id, volumes: [{ array }] }
    },
  }),
}))

const formerOf = (array_id: number | null) =>
  renderHook(() => useFormerlyNamed(array_id), {
    wrapper: ({ children }) => <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>,
  }).result

it('alerts under a former name belong to the array that what they are about lies on', async () => {
  const result = formerOf(1)
  await waitFor(() => expect([...result.current]).toEqual([1, 2]))
  expect(asked).not.toHaveBeenCalledWith('datastores', 30)
})

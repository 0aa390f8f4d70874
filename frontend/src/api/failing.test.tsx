import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ApiError } from '../lib/errors'
import { useFailing } from './failing'

function Page({ read }: { read: () => Promise<number> }) {
  const { refetch, isError } = useQuery({ queryKey: ['n'], queryFn: read, retry: false })
  return (
    <button type="button" title={isError ? 'refused' : ''} onClick={() => void refetch()}>
      {useFailing() ? 'failing' : 'well'}
    </button>
  )
}

function show(read: () => Promise<number>) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page read={read} />
    </QueryClientProvider>,
  )
  return screen.getByRole('button')
}

const refused = (status: number) => new ApiError('the number', 'No.', status)

it('a try that failed counts until one succeeds, also while the next one is under way', async () => {
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let at = 0
  const button = show(() => answers[at++]?.promise ?? Promise.resolve(0))
  expect(button.textContent).toBe('well')
  answers[0]?.reject(refused(503))
  await waitFor(() => expect(button.textContent).toBe('failing'))
  button.click()
  await waitFor(() => expect(at).toBe(2))
  expect(button.textContent).toBe('failing')
  answers[1]?.resolve(1)
  await waitFor(() => expect(button.textContent).toBe('well'))
})

it('what is not there is no failure', async () => {
  const button = show(() => Promise.reject(refused(404)))
  await waitFor(() => expect(button.title).toBe('refused'))
  expect(button.textContent).toBe('well')
})

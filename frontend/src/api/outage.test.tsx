import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { ApiError } from '../lib/errors'
import { useOutage } from '../lib/outage'
import { unreachableError } from './answerErrors'
import { type Asked, OutageProvider, outageOf } from './outage'

const away = (what = 'the diagnosis') => new ApiError(what, 'The database does not answer.', 503)
const unreachable = unreachableError('the diagnosis', new TypeError('fetch failed'), 30)
const late = unreachableError('the diagnosis', Object.assign(new Error('late'), { name: 'TimeoutError' }), 30)
const failed = (since_ms: number, error: Error = away(), answered_ms = 0): Asked => ({
  trouble: { error, since_ms },
  answered_ms,
})
const answered = (answered_ms: number): Asked => ({ trouble: null, answered_ms })

it('several questions that fail and none that is answered since are one outage, as old as the first of them', () => {
  expect(outageOf([failed(2000, away(), 900), failed(1000), answered(800)])).toMatchObject({
    since_ms: 1000,
    read_ms: 900,
  })
  expect(outageOf([failed(1000), failed(1000)])?.read_ms).toBeNull()
})

it('a part that fails alone, or while most others are answered, speaks for itself', () => {
  expect(outageOf([failed(1000), answered(800)])).toBeNull()
  expect(outageOf([failed(1000), failed(1000), answered(1500), answered(1500)])).toBeNull()
  expect(outageOf([])).toBeNull()
})

it('one unreachable answer is enough, one that takes too long is not, and a fault is no outage', () => {
  expect(outageOf([failed(1000, unreachable), answered(800)])?.error).toBe(unreachable)
  expect(outageOf([failed(1000, late), answered(800)])).toBeNull()
  const fault = new ApiError('the diagnosis', 'Gavel made a mistake.', 500)
  expect(outageOf([failed(1000, fault), failed(1000, fault)])).toBeNull()
})

function Part({ name, read }: { name: string; read: () => Promise<number> }) {
  useQuery({ queryKey: [name], queryFn: read, retry: false })
  return null
}

function Note() {
  const outage = useOutage()
  return <p role="note">{outage === null ? 'well' : outage.error.message}</p>
}

it('begins with the second part that fails, and ends with the first answer, which is followed by the others at once', async () => {
  let isAway = true
  const tries: string[] = []
  const read = (name: string) => () => {
    tries.push(name)
    return isAway ? Promise.reject(away(name)) : Promise.resolve(1)
  }
  const client = new QueryClient()
  render(
    <QueryClientProvider client={client}>
      <OutageProvider>
        <Note />
        <Part name="diagnosis" read={read('diagnosis')} />
        <Part name="hops" read={read('hops')} />
      </OutageProvider>
    </QueryClientProvider>,
  )
  const note = screen.getByRole('note')
  expect(note.textContent).toBe('well')
  await waitFor(() => expect(note.textContent).toBe('The database does not answer.'))
  isAway = false
  tries.length = 0
  vi.advanceTimersByTime(5)
  await client.refetchQueries({ queryKey: ['diagnosis'] })
  await waitFor(() => expect(note.textContent).toBe('well'))
  expect(tries).toEqual(['diagnosis', 'hops'])
})

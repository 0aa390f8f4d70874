import { QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { ApiError } from '../lib/errors'
import { createQueryClient } from './queryClient'

async function isRetried(status: number | null): Promise<boolean> {
  const client = createQueryClient()
  const queryKey = ['refused']
  const fail = () => Promise.reject(new ApiError('overview', 'refused', status))
  await client.fetchQuery({ queryKey, queryFn: fail }).catch(() => null)
  const observer = new QueryObserver(client, { queryKey, queryFn: fail })
  const interval = observer.options.refetchInterval
  if (typeof interval !== 'function') throw new Error('no interval')
  return interval(observer.getCurrentQuery()) !== false
}

it('retries a query that was refused for too many requests, and none that was refused for its content', async () => {
  expect(await isRetried(429)).toBe(true)
  expect(await isRetried(503)).toBe(true)
  expect(await isRetried(null)).toBe(true)
  expect(await isRetried(404)).toBe(false)
  expect(await isRetried(422)).toBe(false)
})

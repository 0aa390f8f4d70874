import { beforeEach, describe, expect, it, vi } from 'vitest'
import { browserNow, notePageTime, noteServerTime, serverNow } from '../lib/clock'
import { ApiError } from '../lib/errors'
import { call } from './client'

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Promise.resolve({ error: body, response: new Response(null, { status, headers }) })

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.catch((reason: unknown) => reason)
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

describe('a failed call', () => {
  it('says what was tried and what the server said about it', async () => {
    const problem = {
      title: 'Conflict',
      detail: 'The name fa-1 is taken. Choose another.',
      errors: [{ field: 'name', message: 'is taken' }],
    }
    const error = await failure(call('to add the source', () => answer(409, problem)))
    expect([error.what, error.message, error.status]).toEqual(['to add the source', problem.detail, 409])
    expect(error.fields).toEqual(problem.errors)
  })

  it('does not show a proxy’s page', async () => {
    const error = await failure(call('the list', () => answer(502, '<html>Bad gateway</html>')))
    expect(error.message).toBe('Gavel responded with status 502 and no explanation.')
  })

  it('tells a stopped server from a slow one', async () => {
    const stopped = await failure(call('the list', () => Promise.reject(new TypeError('Failed to fetch'))))
    expect(stopped.message).toContain('is unreachable')
    const slow = await failure(
      call('the list', () => Promise.reject(new DOMException('late', 'TimeoutError')), { deadline_s: 7 }),
    )
    expect(slow.message).toBe('No response from Gavel within 7 s.')
  })

  it('ends at its deadline', async () => {
    const hang = ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const error = await failure(call('the list', hang, { deadline_s: 0.02 }))
    expect(error.message).toContain('No response')
  })
})

describe('the server’s clock', () => {
  beforeEach(() => {
    vi.setSystemTime(Date.UTC(2026, 10, 20, 12, 0, 0))
  })

  it('corrects a browser that is off by minutes and ignores a second', () => {
    noteServerTime('Fri, 20 Nov 2026 12:10:00 GMT')
    expect(serverNow() - browserNow()).toBe(600_000)
    noteServerTime('Fri, 20 Nov 2026 12:00:01 GMT')
    expect(serverNow()).toBe(browserNow())
    noteServerTime('not a date')
    expect(serverNow()).toBe(browserNow())
  })

  it('is known before the first answer: the server wrote it into the page, which has aged since', () => {
    vi.spyOn(performance, 'now').mockReturnValue(5000)
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ responseStart: 2000 }] as never)
    notePageTime({ dataset: { time: '2026-11-20T12:10:00.000+00:00' } })
    expect(serverNow() - browserNow()).toBe(603_000)
    notePageTime({ dataset: { time: '__SERVER_TIME__' } })
    expect(serverNow() - browserNow()).toBe(603_000)
    vi.restoreAllMocks()
  })
})

import { type FetchQueryOptions, QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { client } from './client'
import { contributorsQuery, diagnosisQuery, happenedQuery, latencyQuery, waterfallQuery } from './diagnoses'
import { refresh } from './live'
import { oneQuery } from './queries'
import { showSummary } from './summary'

const TREND = { kind: 'last', last: '1h' } as const
const PAGE = { kind: 'vms', id: 7, window: null, trend: TREND } as const
const SECTIONS = {
  object: { id: 7, name: 'sql-01' },
  diagnosis: { state: 'judged', layer: 'kernel' },
  waterfall: { directions: [] },
  latency: { times_ms: [] },
  contributors: { layer: 'kernel' },
  hosts: null,
  happened: { gaps: [], events: [] },
  failed: [],
}

let asked: string[] = []
let summary: object = SECTIONS
let status = 200

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  summary = SECTIONS
  status = 200
  const get = (path: string, { params }: { params: { path: Record<string, unknown> } }) => {
    const address = path.replace('/api/v1/', '').replace(/\{(\w+)\}/g, (_, name) => String(params.path[name]))
    asked.push(address)
    const isSummary = address.endsWith('/summary')
    const response = new Response(null, { status: isSummary ? status : 200 })
    const body = isSummary ? summary : { own: address }
    return Promise.resolve(response.ok ? { data: body, response } : { error: body, response })
  }
  vi.spyOn(client, 'GET').mockImplementation(get as never)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const shown = () => {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 0 } } })
  showSummary(cache, PAGE)
  return cache
}

const queries = () => [
  oneQuery('vms', 7),
  diagnosisQuery('vms', 7, null),
  waterfallQuery('vms', 7, null),
  latencyQuery('vms', 7, TREND),
  contributorsQuery('vms', 7, 'kernel', null),
  happenedQuery('vms', 7, TREND),
]
const readAll = (cache: QueryClient) =>
  Promise.all(queries().map((one) => cache.fetchQuery(one as unknown as FetchQueryOptions)))

it('all sections of a page come with one request', async () => {
  const found = await readAll(shown())
  expect(asked).toEqual(['vms/7/summary'])
  expect(found).toEqual([
    SECTIONS.object,
    SECTIONS.diagnosis,
    SECTIONS.waterfall,
    SECTIONS.latency,
    SECTIONS.contributors,
    SECTIONS.happened,
  ])
})

it('a section that opens later takes its part of what was read', async () => {
  const cache = shown()
  await cache.fetchQuery(oneQuery('vms', 7))
  await cache.fetchQuery(diagnosisQuery('vms', 7, null))
  expect(asked).toEqual(['vms/7/summary'])
})

it('new minutes bring one request for all sections, new samples one for the object alone', async () => {
  const cache = shown()
  await readAll(cache)
  vi.advanceTimersByTime(20_000)
  refresh(cache, false, new Set(['vm_disk', 'ledger']))
  await readAll(cache)
  expect(asked).toEqual(['vms/7/summary', 'vms/7/summary'])
  vi.advanceTimersByTime(20_000)
  refresh(cache, false, new Set(['vm_disk']))
  await cache.fetchQuery(oneQuery('vms', 7))
  expect(asked.slice(2)).toEqual(['vms/7'])
})

it('somebody who comes back to the page brings one request', async () => {
  const cache = shown()
  await readAll(cache)
  vi.advanceTimersByTime(60_000)
  await readAll(cache)
  expect(asked).toEqual(['vms/7/summary', 'vms/7/summary'])
})

it('a section that failed shows its error and is asked for only when it is tried again', async () => {
  const failure = { section: 'waterfall', status: 503, detail: 'canceled a statement' }
  summary = { ...SECTIONS, waterfall: null, failed: [failure] }
  const cache = shown()
  await expect(cache.fetchQuery(waterfallQuery('vms', 7, null))).rejects.toThrow('canceled a statement')
  expect(await cache.fetchQuery(diagnosisQuery('vms', 7, null))).toEqual(SECTIONS.diagnosis)
  expect(asked).toEqual(['vms/7/summary'])
  vi.advanceTimersByTime(1000)
  expect(await cache.fetchQuery(waterfallQuery('vms', 7, null))).toEqual({ own: 'vms/7/waterfall' })
  expect(asked).toEqual(['vms/7/summary', 'vms/7/waterfall'])
})

it('a summary that is broken leaves each section its own address', async () => {
  status = 500
  await readAll(shown())
  expect(new Set(asked)).toContain('vms/7/latency')
  expect(new Set(asked)).toContain('vms/7')
})

it('a summary of a database that does not answer is not asked for section by section', async () => {
  status = 503
  summary = { type: 'about:blank', title: '', status: 503, detail: 'no answer', errors: [] }
  await expect(readAll(shown())).rejects.toThrow('no answer')
  expect(new Set(asked)).toEqual(new Set(['vms/7/summary']))
})

it('another window, another layer and another object are asked for by themselves', async () => {
  const cache = shown()
  await cache.fetchQuery(diagnosisQuery('vms', 7, TREND))
  await cache.fetchQuery(diagnosisQuery('vms', 8, null))
  expect(asked).toEqual(['vms/7/diagnosis', 'vms/8/diagnosis'])
  await cache.fetchQuery(contributorsQuery('vms', 7, 'array', null))
  expect(asked.slice(2)).toEqual(['vms/7/summary', 'vms/7/contributors'])
})

it('a window that is left while it is read leaves nothing waiting', async () => {
  const cache = shown()
  const reading = cache.fetchQuery(oneQuery('vms', 7))
  showSummary(cache, { ...PAGE, window: TREND })
  expect(await reading).toEqual({ own: 'vms/7' })
  showSummary(cache, null)
})

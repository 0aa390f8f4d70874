import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { quantitiesQuery, rulesQuery } from '../../api/alerts'
import { diagnosisQuery } from '../../api/diagnoses'
import type { AlertDetail } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { AlertHead } from './AlertHead'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, search, children, ...more }: { to: string; search: object; children: React.ReactNode }) => (
    <a href={`${to}?${new URLSearchParams(JSON.parse(JSON.stringify(search ?? {})))}`} {...more}>
      {children}
    </a>
  ),
}))
vi.mock('../../lib/url', () => ({ useParameter: () => ['', () => undefined] }))
vi.mock('../../api/session', () => ({ useSession: () => ({ isAdmin: true, known: true }) }))

const NOW_MS = Date.parse('2026-11-22T11:50:00Z')
const ALERT = {
  id: 41,
  rule_id: 1,
  rule_name: 'Kernel latency',
  severity: 'info',
  subject: { kind: 'datastore', id: 7, name: 'app-05' },
  layer: 'kernel',
  labels: {},
  measure: { quantity: 'latency', part: 'kernel', direction: 'all', unit: 'µs', finding: null, finding_severity: null },
  state: 'firing',
  since_at: '2026-11-22T11:36:00Z',
  started_at: '2026-11-22T11:32:00Z',
  fired_at: '2026-11-22T11:36:00Z',
  recovered_at: null,
  ended_at: null,
  newest: { at: '2026-11-22T11:48:00Z', value: 431, lower: 402 },
  sentence: {
    claim: 'Kernel queue on esx-14: 0.44 of 0.93 ms since 11:31 UTC, 0.44 ms above baseline. Confirmed.',
    evidence: '64 I/Os outstanding; array latency 0.40 ms.',
    limits: 'Guest not measured.',
    action: 'Spread the VMs over more datastores',
  },
  runbook_url: 'https://runbooks.example/kernel',
  quiet: null,
  acknowledged_at: null,
  acknowledged_by: null,
  transitions: [],
  messages: [],
} as unknown as AlertDetail
const RULE = {
  id: 1,
  for_min: 5,
  when: [{ quantity: 'latency', part: 'kernel', direction: 'all', at_least: 300, compared: 'lower' }],
}

function show(given: Partial<AlertDetail> = {}, diagnosis?: object) {
  vi.spyOn(Date, 'now').mockReturnValue(NOW_MS)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
  client.setQueryData(rulesQuery().queryKey, [RULE] as never)
  client.setQueryData(quantitiesQuery().queryKey, [{ quantity: 'latency', unit: 'µs' }] as never)
  client.setQueryData(diagnosisQuery('datastores', 7, null).queryKey, (diagnosis ?? { state: 'no_data' }) as never)
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <QueryClientProvider client={client}>
          <AlertHead alert={{ ...ALERT, ...given }} />
        </QueryClientProvider>
      </MantineProvider>
    </PreferencesProvider>,
  )
  return document.body.textContent ?? ''
}

it('the first lines say what, whose, how much, the limit, why, what holds now, and then what to do', () => {
  const text = show()
  const order = [
    'Datastore app-05',
    'Kernel queue on esx-14: 0.44 of 0.93 ms since 11:31 UTC',
    'What to do: Spread the VMs over more datastores.',
    'Threshold: Kernel ≥ 0.30 ms (lower bound), for 5 min',
    'Evidence: 64 I/Os outstanding; array latency 0.40 ms.',
    'Now Kernel 0.43 ms, ≥ 0.40 ms (lower bound), above 0.30 ms (lower bound); at 11:48, 1 min ago',
    'Open datastore at 11:36',
    'Acknowledge',
    'Silence',
    'Runbook',
    'Guest not measured.',
  ]
  const places = order.map((words) => text.indexOf(words))
  expect(places).not.toContain(-1)
  expect([...places].sort((a, b) => a - b)).toEqual(places)
})

it('the way to the object keeps the time of the alert in its address', () => {
  show()
  const href = screen.getByRole('link', { name: 'Open datastore at 11:36' }).getAttribute('href')
  expect(decodeURIComponent(href ?? '')).toBe('/datastores/7?from=2026-11-22T11:17:00Z&to=2026-11-22T11:50:00Z')
})

it('an old number is gray and not called what holds now, and neither is the diagnosis of those minutes', () => {
  const diagnosis = {
    state: 'judged',
    confidence: 'confirmed',
    layer: 'array',
    layer_label: 'Array',
    sentence: { head: { text: 'Array' } },
  }
  const text = show({ newest: { at: '2026-11-21T02:31:00Z', value: 431, lower: null } }, diagnosis)
  expect(text).toContain('Now no newer data since 21 Nov, 02:31; last value Kernel 0.43 ms')
  expect(document.querySelector('[data-old="true"]')?.className).toBe('muted')
  expect(text).not.toContain('Diagnosis now')
  expect(text).not.toContain('Dominant layer now')
})

it('a layer that is no longer the one that was paged for is warned of', () => {
  const sentence = { head: { text: 'Array service: 1.35 of 1.60 ms' } }
  const layers = [{ name: 'array', layers: ['array'] }]
  const text = show(
    {},
    { state: 'judged', confidence: 'confirmed', layer: 'array', layer_label: 'Array', layers, sentence },
  )
  expect(text).toContain('Diagnosis now Array service: 1.35 of 1.60 ms. Confirmed')
  expect(screen.getByRole('status').textContent).toBe('Dominant layer now: Array; at trigger: Kernel.')
})

it('a layer that is still named needs no second diagnosis', () => {
  const sentence = { head: { text: 'Kernel queue on esx-14: 0.40 of 0.90 ms' } }
  const layers = [{ name: 'kernel', layers: ['kernel'] }]
  const text = show(
    {},
    {
      state: 'judged',
      confidence: 'confirmed',
      layer: 'kernel',
      layer_label: 'Kernel',
      layers,
      until_at: null,
      sentence,
    },
  )
  expect(text).toContain('at 11:48, 1 min ago; diagnosis unchanged: Kernel')
  expect(text).not.toContain('Diagnosis now')
})

it('of what is over nothing is said to hold now', () => {
  const text = show({
    state: 'resolved',
    newest: null,
    recovered_at: '2026-11-22T11:44:00Z',
    ended_at: '2026-11-22T11:49:00Z',
  })
  expect(text).toContain('Cleared 11:44')
  expect(text).toContain('lasted 17 min')
  expect(text).not.toContain('Now ')
})

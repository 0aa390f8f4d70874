import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { alertsDuringQuery, alertsNowQuery } from '../../api/alerts'
import type { AlertOut } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import type { Range } from '../../lib/range'
import { AlertBadge } from './AlertBadge'
import { AlertsLine } from './AlertsLine'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children, ...more }: { to: string; children: React.ReactNode }) => (
    <a href={to} {...more}>
      {children}
    </a>
  ),
}))

let range: Range = { kind: 'last', last: '5m' }
vi.mock('../../lib/url', () => ({ useRange: () => [range] }))

const alert = (id: number, given: Partial<AlertOut> = {}): AlertOut =>
  ({
    id,
    rule_id: 1,
    rule_key: 'kernel_queueing',
    rule_name: `Rule ${id}`,
    severity: 'warning',
    subject: { kind: 'datastore', id: 7, name: 'ds-7' },
    layer: 'kernel',
    path: [],
    labels: {},
    measure: {
      quantity: 'latency',
      part: 'kernel',
      direction: 'all',
      unit: 'µs',
      finding: null,
      finding_severity: null,
    },
    state: 'firing',
    since_at: '2026-11-21T02:14:00Z',
    started_at: '2026-11-21T02:10:00Z',
    fired_at: '2026-11-21T02:14:00Z',
    ended_at: null,
    value: 438,
    peak: 610,
    lower: 425,
    excess_outstanding: null,
    sentence: null,
    runbook_url: '',
    quiet: null,
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledged_note: null,
    ...given,
  }) as AlertOut

function show(alerts: AlertOut[], pending: AlertOut[] = [], analyzed_until_at: string | null = '2026-11-21T02:15:00Z') {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(alertsNowQuery().queryKey, { alerts, pending, analyzed_until_at })
  const view = render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <QueryClientProvider client={client}>
          <AlertsLine choose={(all) => all} of={{ kind: 'datastore', id: 7 }} />
        </QueryClientProvider>
      </MantineProvider>
    </PreferencesProvider>,
  )
  client.clear()
  return view
}

it('every alert says in words how bad it is, about what, by how much, and leads to its page', () => {
  show([
    alert(1, { severity: 'critical' }),
    alert(2, {
      subject: { kind: 'volume', id: 3, name: 'vol-3' },
      acknowledged_at: '2026-11-21T02:20:00Z',
      acknowledged_by: 'Kim',
    }),
  ])
  const [own, below] = screen.getAllByRole('listitem')
  expect(own?.textContent).toMatch(
    /^criticalRule 10\.44 ms, ≥ 0\.43 ms \(lower bound\) when it fired, peak 0\.61 msstarted .+ ago/,
  )
  expect(own?.textContent).not.toContain('ds-7')
  expect(own?.querySelector('svg')).not.toBeNull()
  expect(own?.querySelector('a')?.getAttribute('href')).toBe('/alerts/1')
  expect(below?.textContent).toMatch(/on volume\s*vol-3/)
  expect(below?.textContent).toContain('acknowledged by Kim')
})

it('the line is there when nothing fires, too, and says what is about to', () => {
  show([], [alert(5, { state: 'pending', fired_at: null })])
  expect(screen.getByRole('region', { name: 'Active alerts' }).textContent).toBe(
    'Active alertsNone on this datastore1 pending',
  )
})

it('before the first judged minute nothing is said to be well', () => {
  show([], [], null)
  const line = screen.getByRole('region', { name: 'Active alerts' })
  expect(line.textContent).toBe('Active alertsNot analyzed yet')
})

it('alerts of a range that stands still: those that were open in it, with the time they began and no age', () => {
  range = { kind: 'fixed', from_ms: Date.UTC(2026, 10, 21, 2), to_ms: Date.UTC(2026, 10, 21, 3) }
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(alertsDuringQuery(range, null).queryKey, {
    items: [alert(1, { state: 'resolved' })],
    total: 1,
    limit: 100,
    offset: 0,
  })
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <QueryClientProvider client={client}>
          <AlertsLine choose={(all) => all} of={{ kind: 'datastore', id: 7 }} />
        </QueryClientProvider>
      </MantineProvider>
    </PreferencesProvider>,
  )
  range = { kind: 'last', last: '5m' }
  const line = screen.getByRole('region', { name: 'Alerts in range' })
  expect(line.textContent).toContain('Rule 1')
  expect(line.textContent).toMatch(/since .*02:10/)
  expect(line.textContent).not.toMatch(/ago|resolved/)
  client.clear()
})

it('what has no room is counted', () => {
  show([1, 2, 3, 4, 5].map((id) => alert(id)))
  expect(screen.getAllByRole('listitem')).toHaveLength(3)
  expect(screen.getByRole('link', { name: '2 more' }).getAttribute('href')).toBe('/alerts')
})

it('a badge leads to the worst and says how many there are; on a wall it leads nowhere', () => {
  const two = [alert(9, { severity: 'critical' }), alert(10)]
  const { container, rerender } = render(<AlertBadge alerts={two} />)
  const badge = screen.getByRole('link', { name: 'critical +1: 2 alerts, worst Rule 9' })
  expect(badge.textContent).toBe('critical +1')
  expect(badge.getAttribute('aria-label')).toContain(badge.textContent)
  rerender(<AlertBadge alerts={two} linked={false} />)
  expect(container.querySelector('a')).toBeNull()
  expect(container.textContent).toBe('critical +1')
  rerender(<AlertBadge alerts={[]} />)
  expect(container.textContent).toBe('')
})

it('what is on its way back is no warning any more, and only told where nothing else is open', () => {
  const back = alert(1, { state: 'recovering', severity: 'critical' })
  const { container, rerender } = render(<AlertBadge alerts={[back]} linked={false} />)
  expect(container.textContent).toBe('recovering')
  rerender(<AlertBadge alerts={[back, alert(2)]} linked={false} />)
  expect(container.textContent).toBe('warning +1')
})

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Diagnosis } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { headOf } from '../../testing/sentences'
import { DetailsCard } from './DetailsCard'

const diagnosis = {
  from_at: '2026-11-21T12:00:00Z',
  to_at: '2026-11-21T12:05:00Z',
  ledger_until_at: '2026-11-21T12:05:00Z',
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  state: 'judged',
  confidence: 'inconclusive',
  layer: 'array',
  other: 'kernel',
  layers: [
    { name: 'array', layers: ['array'] },
    { name: 'kernel', layers: ['kernel'] },
  ],
  sentence: { head: headOf('Array or kernel, inconclusive'), reasons: [], caveats: [], to_confirm: [] },
  evidence: [],
  excess_us: 40,
  baseline_from: 'setting',
  excess_outstanding: null,
  data_quality: {
    quality: null,
    quality_reasons: [],
    match_ratio: 89_624 / 89_625,
    matched_host_iops: 89_624,
    matched_array_iops: 89_625,
    queue_depths: null,
    outstanding_ios: null,
    modelled_ios: null,
    offset_error_s: null,
    disagreement_us: null,
    missing_s: null,
    recalculated_minutes: 0,
    recalculated_at: null,
    has_earlier_rules: false,
  },
} as unknown as Diagnosis

const show = (given: Partial<Diagnosis> = {}) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <DetailsCard diagnosis={{ ...diagnosis, ...given }} />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  )

it('what single layers lose is not said of all of them together', () => {
  show()
  expect(screen.getByText('Excess latency').parentElement?.title).toMatch(/^sum over layers/)
  expect(screen.queryByText(/All layers/)).toBeNull()
})

it('what is lost is told layer by layer where it is lost in several', () => {
  const layers = [
    { name: 'kernel', label: 'Kernel', layers: ['kernel'], excess_us: 120 },
    { name: 'san', label: 'SAN', layers: ['san'], excess_us: 3 },
    { name: 'array', label: 'Array', layers: ['array'], excess_us: 1130 },
  ] as Diagnosis['layers']
  const lost = () => screen.getAllByText('Excess latency').at(-1)?.nextElementSibling?.textContent
  show({ layers, excess_us: 1253 })
  expect(lost()).toBe('1.25 ms: Array 1.13 ms, Kernel 0.12 ms')
  show({ layers: layers.slice(2), excess_us: 1130 })
  expect(lost()).toBe('1.13 ms')
})

it('a part that is nearly all is rounded to the nearest percent', () => {
  show()
  const term = screen.getByText('Host/array match')
  expect(term.nextElementSibling?.textContent).toBe('100 %')
  expect(term.parentElement?.title).toContain('89,624 IOPS hosts ÷ 89,625 IOPS array')
})

it('what both sides counted of an array is of the volumes that are matched to hosts, and says so', () => {
  show({ subject: { kind: 'array', id: 1, name: 'fa-1' } } as Partial<Diagnosis>)
  expect(screen.getByText('Host/array match').nextElementSibling?.textContent).toBe('100 % on volumes matched to hosts')
})

it('says when minutes were recalculated for late samples, and nothing where none was', () => {
  show()
  expect(screen.queryByText(/recalculated/)).toBeNull()
  const recalculated_at = '2026-11-21T12:07:31Z'
  show({ data_quality: { ...diagnosis.data_quality, recalculated_minutes: 2, recalculated_at } })
  expect(screen.getByText(/^2 of 5 minutes recalculated with late samples, last at .*:31\.$/)).toBeTruthy()
})

it('queue depths are told from the shallowest to the deepest queue, and never as a sum', () => {
  const depths = (queue_depths: Diagnosis['data_quality']['queue_depths']) =>
    show({ data_quality: { ...diagnosis.data_quality, queue_depths } }).container.textContent
  expect(depths({ lowest: 32, highest: 64, queues: 12, hosts: 4 })).toContain('DQLEN 32–64, 12 queues on 4 hosts')
  expect(depths({ lowest: 32, highest: 32, queues: 1, hosts: 1 })).toContain('DQLEN 32, 1 queue on 1 host')
  expect(depths(null)).not.toContain('DQLEN')
})

it('reasons, caveats and what would confirm it stand as they come', () => {
  const sentence = {
    ...diagnosis.sentence,
    reasons: [{ code: 'outstanding' as const, text: '64 I/Os outstanding' }],
    caveats: [{ code: 'guest_not_measured' as const, text: 'Guest not measured' }],
    to_confirm: ['microsecond counters'],
  }
  const text = show({ sentence }).container.textContent
  for (const words of ['64 I/Os outstanding', 'CaveatsGuest not measured', 'To confirmmicrosecond counters'])
    expect(text?.replaceAll('\u00a0', ' ')).toContain(words)
})

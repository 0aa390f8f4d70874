// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Verdict } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { VerdictCard } from './VerdictCard'

vi.mock('./SpanSwitch', () => ({ SpanSwitch: () => null }))
vi.mock('./EvidenceLink', () => ({ EvidenceLink: () => null }))

const verdict = {
  from_at: '2026-11-21T12:00:00Z',
  to_at: '2026-11-21T12:05:00Z',
  ledger_until_at: '2026-11-21T12:05:00Z',
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  state: 'judged',
  certainty: 'undetermined',
  layer: 'array',
  other: 'kernel',
  layers: [{ name: 'array', layers: ['array'] }],
  sentence: { head: 'Array or kernel, undetermined', because: [], caveats: [], settles: [] },
  evidence: [],
  excess_us: 40,
  expected_from: 'setting',
  impact: null,
  quality: {
    grade: null,
    grade_reasons: [],
    coverage: 89_624 / 89_625,
    covered_host_iops: 89_624,
    covered_array_iops: 89_625,
    queue_depth: null,
    outstanding_ios: null,
    modelled_ios: null,
    offset_error_s: null,
    disagreement_us: null,
    missing_s: null,
  },
} as unknown as Verdict

const show = (given: Partial<Verdict> = {}) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <VerdictCard verdict={{ ...verdict, ...given }} />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  )

it('what could not be decided has the hatched sign of both layers, what could has its own', () => {
  const sign = (container: HTMLElement) => container.querySelector('[data-hatched]')?.getAttribute('data-hatched')
  expect(sign(show().container)).toBe('true')
  expect(sign(show({ certainty: 'certain', other: null }).container)).toBe('false')
})

it('what single layers lose is not said of all of them together', () => {
  show()
  expect(screen.getByText('Lost per I/O').parentElement?.title).toMatch(/single layers .* added up/)
  expect(screen.queryByText(/All layers/)).toBeNull()
})

it('what is lost is told layer by layer where it is lost in several', () => {
  const layers = [
    { name: 'kernel', label: 'Kernel', layers: ['kernel'], excess_us: 120 },
    { name: 'san', label: 'SAN', layers: ['san'], excess_us: 3 },
    { name: 'array', label: 'Array', layers: ['array'], excess_us: 1130 },
  ] as Verdict['layers']
  const lost = () => screen.getAllByText('Lost per I/O').at(-1)?.nextElementSibling?.textContent
  show({ layers, excess_us: 1253 })
  expect(lost()).toBe('1.25 ms: Array 1.13 ms, Kernel 0.12 ms')
  show({ layers: layers.slice(2), excess_us: 1130 })
  expect(lost()).toBe('1.13 ms')
})

it('a part that is nearly all is rounded to the nearest percent', () => {
  show()
  const term = screen.getByText('All hosts’ ops ÷ the array’s')
  expect(term.nextElementSibling?.textContent).toBe('100 %')
  expect(term.parentElement?.title).toContain('89,624 IOPS by the hosts ÷ 89,625 IOPS by the array')
})

it('what both sides counted of an array is of the volumes that are matched to hosts, and says so', () => {
  show({ subject: { kind: 'array', id: 1, name: 'fa-1' } } as Partial<Verdict>)
  expect(screen.getByText('All hosts’ ops ÷ the array’s').nextElementSibling?.textContent).toBe(
    '100 % on volumes that are matched to hosts',
  )
})

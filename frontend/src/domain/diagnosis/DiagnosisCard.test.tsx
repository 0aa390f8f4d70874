import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { ALL_FINDINGS, findingsQuery } from '../../api/findings'
import type { Diagnosis } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { noCause, queueCause } from '../../testing/causes'
import { pathsDown } from '../../testing/findings'
import { headOf } from '../../testing/sentences'
import { DiagnosisCard } from './DiagnosisCard'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
}))
vi.mock('../counters/EvidenceLink', () => ({ EvidenceLink: () => null }))

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
  cause: null,
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

const show = (given: Partial<Diagnosis> = {}, isMoving = true, client = new QueryClient()) =>
  render(
    <QueryClientProvider client={client}>
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <DiagnosisCard diagnosis={{ ...diagnosis, ...given }} isMoving={isMoving} />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  )

it('what could not be decided has the hatched sign of both layers, what could has its own', () => {
  const sign = (container: HTMLElement) => container.querySelector('[data-hatched]')?.getAttribute('data-hatched')
  expect(sign(show().container)).toBe('true')
  expect(sign(show({ confidence: 'confirmed', other: null }).container)).toBe('false')
})

it('reasons stand below the sentence, with the numbers by which it can be doubted', () => {
  const reasons = [{ code: 'outstanding' as const, text: '64 I/Os outstanding' }]
  const text = show({ excess_outstanding: 12, sentence: { ...diagnosis.sentence, reasons } }).container.textContent
  expect(text?.replaceAll('\u00a0', ' ')).toContain('64 I/Os outstanding')
  expect(text).toContain('Excess outstanding I/O 12 · Host/array match 100 %')
})

it('how old the analysis is is said of a window that follows the clock, and of no other', () => {
  show()
  expect(screen.getByText(/Analyzed through/)).toBeTruthy()
  cleanup()
  show({}, false)
  expect(screen.queryByText(/Analyzed through/)).toBeNull()
})

it('a cause stands right after the sentence, its numbers replace the reasons, and without a single one they stay', () => {
  const sentence = { ...diagnosis.sentence, reasons: [{ code: 'outstanding' as const, text: '64 I/Os outstanding' }] }
  const text = (cause: Diagnosis['cause']) => {
    const { container, unmount } = show({ cause, sentence })
    const words = container.textContent?.replaceAll('\u00a0', ' ') ?? ''
    unmount()
    return words
  }
  expect(text(queueCause)).toMatch(/Array or kernel, inconclusive\.Cause \(confirmed\): vdi-03 issues 98 %/)
  expect(text(queueCause)).not.toContain('64 I/Os outstanding')
  expect(text(noCause)).toMatch(/No single cause\..*64 I\/Os outstanding/)
})

it('what to do about a cause is the first advice of the finding with its threshold, and leads to all of it', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const params = {
    ...ALL_FINDINGS,
    states: ['open'] as const,
    rule: 'device-queue-full',
    of: { kind: 'datastore' as const, id: 1 },
  }
  client.setQueryData(findingsQuery(params).queryKey, { items: [pathsDown], total: 1 } as never)
  show({ cause: queueCause }, true, client)
  const link = await screen.findByRole('link', { name: 'Steps and commands' })
  expect(link.getAttribute('href')).toBe('/findings/7')
  expect(link.closest('p')?.textContent).toMatch(/^What to do: Repair the paths that are down\./)
  cleanup()
  show({ cause: noCause }, true, client)
  expect(screen.queryByText('What to do:')).toBeNull()
  cleanup()
  client.setQueryData(findingsQuery(params).queryKey, { items: [], total: 0 } as never)
  show({ cause: queueCause }, true, client)
  const words = (await screen.findByText('What to do:')).closest('p')
  expect(words?.textContent).toBe(`What to do: ${queueCause.action}. `)
  expect(screen.queryByRole('link', { name: 'Steps and commands' })).toBeNull()
})

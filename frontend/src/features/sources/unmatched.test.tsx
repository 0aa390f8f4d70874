import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { unmatchedQuery } from '../../api/queries'
import type { Unmatched, UnmatchedRow } from '../../api/types'
import { UnmatchedCard, UnmatchedList } from './UnmatchedCard'
import { countOf, emptyText, kindChoices, kindOf, needsAction, summary } from './unmatched'

const navigate = vi.hoisted(() => vi.fn())

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, className, children }: { to: string; className: string; children: React.ReactNode }) => (
    <a href={to} className={className}>
      {children}
    </a>
  ),
  useNavigate: () => navigate,
  useSearch: () => ({}),
}))

const counts = (...given: [UnmatchedRow['kind'], number, number][]): Unmatched['counts'] =>
  given.map(([kind, needs_action, expected]) => ({ kind, needs_action, expected }))

const SOME = counts(['datastore', 1, 1], ['device', 0, 1], ['volume', 2, 4], ['export', 0, 0])

const row = (part: Partial<UnmatchedRow>): UnmatchedRow => ({
  kind: 'volume',
  id: 7,
  name: 'erp-05',
  source: { kind: 'source', id: 1, name: 'flasharray-1' },
  shown_at: { kind: 'volume', id: 7, name: 'erp-05' },
  hosts: ['esx-03'],
  reason: 'Connected to esx-03, where no device has its serial.',
  remedy: 'Rescan the storage adapters there.',
  needs_action: true,
  ...part,
})

const show = (...rows: UnmatchedRow[]) =>
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <UnmatchedList rows={rows} />
    </MantineProvider>,
  )

it('what has to be looked at is counted apart from what is as it should be', () => {
  expect(summary(SOME)).toBe('3 to review, 6 expected')
  expect(summary(counts(['export', 0, 1]))).toBe('0 to review, 1 expected')
  expect(summary(counts(['device', 2, 0]))).toBe('2 to review')
  expect(summary(counts(['device', 0, 0]))).toBe('all matched')
  expect([countOf(SOME, 'all'), countOf(SOME, 'open', 'volume'), countOf(SOME, 'expected', 'volume')]).toEqual([
    9, 2, 4,
  ])
})

it('every kind can be chosen, with how many there are of it', () => {
  expect(kindChoices(SOME, 'open').map(({ label }) => label)).toEqual([
    'Any type',
    '1 datastore',
    '0 devices',
    '2 volumes',
    '0 exports',
  ])
})

it('an empty list says whether that is good', () => {
  expect(emptyText(counts(['device', 0, 0]), 'open', false).title).toBe('All matched')
  expect(emptyText(counts(['device', 0, 3]), 'open', false)).toMatchObject({
    title: 'Nothing to review',
    text: expect.stringContaining('3 objects on one side only, as expected'),
  })
  expect(emptyText(SOME, 'open', true).title).toBe('No match')
})

it('words of the address that mean nothing are the default', () => {
  expect([kindOf('volume'), kindOf('toString')]).toEqual(['volume', null])
  expect([needsAction('open'), needsAction('expected'), needsAction('all')]).toEqual([true, false, null])
})

it('each thing has its reason, what to do, and the way to its page', () => {
  show(
    row({}),
    row({
      id: 8,
      kind: 'device',
      name: 'naa.5000',
      needs_action: false,
      hosts: ['esx-01', 'esx-02'],
      shown_at: { kind: 'host', id: 2, name: 'esx-01' },
      reason: 'Of another vendor.',
      remedy: 'Nothing to do.',
    }),
  )
  const [volume, device] = screen.getAllByRole('listitem') as [HTMLElement, HTMLElement]
  expect(volume.textContent).toContain('to review')
  expect(volume.textContent).toContain('where no device has its serial.')
  expect(within(volume).getByText('Rescan the storage adapters there.')).toBeTruthy()
  expect(within(volume).getByRole('link').getAttribute('href')).toBe('/volumes/7')
  expect(device.textContent).toContain('expected')
  expect(device.textContent).toContain('2 hosts: esx-01, esx-02')
  expect(within(device).getByRole('link').getAttribute('href')).toBe('/hosts/2')
})

it('a name is text, whatever it holds', () => {
  const { container } = show(row({ name: '<img src=x>', kind: 'device', reason: '<b>bold</b>' }))
  expect(container.querySelector('img, b')).toBeNull()
  expect(container.textContent).toContain('<b>bold</b>')
})

it('with nothing to review, the list offers what is expected to be unmatched', () => {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const { queryKey } = unmatchedQuery({ search: '', kind: null, needs_action: true, limit: 50 })
  cache.setQueryData(queryKey, { items: [], total: 0, limit: 50, offset: 0, counts: counts(['device', 0, 3]) })
  render(
    <QueryClientProvider client={cache}>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <UnmatchedCard />
      </MantineProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Show expected' }))
  const { search } = navigate.mock.calls.at(-1)?.[0] ?? {}
  expect(search({})).toEqual({ unmatched: 'expected' })
})

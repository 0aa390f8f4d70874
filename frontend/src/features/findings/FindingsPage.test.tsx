import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { client as api } from '../../api/client'
import { ALL_FINDINGS, findingCountsQuery, findingRulesQuery, findingsFile, findingsQuery } from '../../api/findings'
import type { FindingRule, FindingsPage as Page } from '../../api/types'
import { TabCount } from '../../domain/findings/TabCount'
import { PreferencesProvider } from '../../lib/preferences'
import { pathsDown } from '../../testing/findings'
import { onScreen } from '../../testing/screen'
import FindingsPage from './FindingsPage'
import { UnevaluatedCard } from './UnevaluatedCard'

vi.mock('../../api/session', () => ({ useSession: () => ({ isAdmin: true, known: true }) }))
vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
  useRouter: () => null,
}))
vi.mock('../../lib/url', () => ({ useParameter: ({ fallback }: { fallback: string }) => [fallback, () => {}] }))
vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 62 * index, end: 62 * index + 62, key: index })),
    getTotalSize: () => 62 * count,
  }),
}))

const page: Page = {
  items: [pathsDown],
  total: 1,
  limit: 100,
  offset: 0,
  totals: {
    state: { open: 1, accepted: 2, cleared: 12 },
    severity: { high: 0, elevated: 1, normal: 0 },
    rule: [{ rule: 'paths-down', title: 'Paths down', open: 1 }],
  },
  evaluated_at: '2026-11-24T09:10:00Z',
}

function rule(title: string, unevaluated: FindingRule['unevaluated']): FindingRule {
  return {
    id: title,
    title,
    unevaluated,
    raised_when: '',
    cleared_when: '',
    blind_spots: [],
    references: [],
    open: 0,
  }
}

function show(given: Partial<Page> = {}, rules: FindingRule[] = []) {
  onScreen(1440)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(findingsQuery(ALL_FINDINGS).queryKey, { ...page, ...given })
  client.setQueryData(findingRulesQuery().queryKey, rules)
  return render(
    <QueryClientProvider client={client}>
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <FindingsPage />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  )
}

it('findings: each row leads to its finding and its object, and says what to do first and since when', () => {
  const { container } = show()
  const row = screen.getAllByRole('row').find(({ textContent }) => textContent?.includes('4 of 8 paths'))
  expect(row?.textContent).toMatch(/^4 of 8 paths down on esx-01Paths downElevatedConfirmed/)
  expect(row?.textContent).toContain('and 2 moreRepair the paths that are down24 Nov, 09:00')
  expect(screen.getByRole('link', { name: '4 of 8 paths down on esx-01' }).getAttribute('href')).toBe('/findings/7')
  expect(container.textContent).toContain('1 open (1 elevated)2 accepted12 cleared')
  expect(container.textContent).toContain('Evaluated 24 Nov, 09:10:00 UTC')
})

it('findings: without any the page says whether rules were evaluated at all', () => {
  const { unmount } = show({ items: [], total: 0 })
  expect(screen.getByText(/No rule reports anything/)).toBeTruthy()
  unmount()
  show({ items: [], total: 0, evaluated_at: null })
  expect(screen.getByText(/Rules are evaluated every five minutes/)).toBeTruthy()
  expect(screen.getByText('Not evaluated yet')).toBeTruthy()
})

it('findings: rules that cannot be evaluated yet are listed with their objects and what is missing', () => {
  const array = (id: number) => ({ kind: 'array' as const, id, name: `pure-0${id}` })
  const needs = (id: number, has: number) => ({ object: array(id), reason: `needs 72 hours of history, has ${has}` })
  show({}, [rule('Paths down', []), rule('Array saturation', [needs(1, 5), needs(2, 5), needs(3, 70)])])
  const card = screen.getByRole('region', { name: 'Rules not evaluated' })
  expect([...card.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
    'Array saturationpure-01pure-02needs 72 hours of history, has 5',
    'Array saturationpure-03needs 72 hours of history, has 70',
  ])
})

it('findings: where every rule has what it needs, nothing is said of that', () => {
  show({}, [rule('Paths down', [])])
  expect(screen.queryByRole('region', { name: 'Rules not evaluated' })).toBeNull()
})

it('findings: where the rules cannot be had, their card says so and tries again when it is asked to', async () => {
  const asked = vi.spyOn(api, 'GET').mockRejectedValue(new TypeError('refused'))
  onScreen(1440)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <UnevaluatedCard />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  )
  expect(screen.queryByRole('region', { name: 'Rules not evaluated' })).toBeNull()
  const card = await screen.findByRole('region', { name: 'Rules not evaluated' })
  expect(within(card).getByRole('alert').textContent).toContain('Could not load the rules of findings')
  fireEvent.click(within(card).getByRole('button', { name: 'Retry now' }))
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2))
  asked.mockRestore()
})

it('findings: the file has the filters of the list', () => {
  const file = findingsFile({ ...ALL_FINDINGS, states: ['open', 'cleared'], severity: 'high', rule: 'paths-down' })
  const search = new URL(file, 'http://gavel').searchParams
  expect(search.getAll('state')).toEqual(['open', 'cleared'])
  expect([search.get('severity'), search.get('rule'), search.get('object_id')]).toEqual(['high', 'paths-down', null])
})

it('findings: a tab has the number of open ones of its object, and none for none', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(findingCountsQuery('datastore').queryKey, [{ id: 6, open: 3, severity: 'elevated' }])
  const textOf = (id: number) => {
    const { container, unmount } = render(
      <QueryClientProvider client={client}>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <TabCount kind="datastores" id={id} />
        </MantineProvider>
      </QueryClientProvider>,
    )
    const text = container.textContent
    unmount()
    return text
  }
  expect([textOf(6), textOf(7)]).toEqual(['3 3 open', ''])
})

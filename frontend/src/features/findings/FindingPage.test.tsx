import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { findingQuery } from '../../api/findings'
import type { FindingDetail, WhatIf, WhatIfBody } from '../../api/types'
import { whatIfQuery } from '../../api/whatif'
import { PreferencesProvider } from '../../lib/preferences'
import { pathsDown } from '../../testing/findings'
import { AcceptDialog } from './AcceptDialog'
import FindingPage from './FindingPage'

const { accept, session } = vi.hoisted(() => ({
  accept: vi.fn((_id: number, _body: unknown) => Promise.resolve()),
  session: { isAdmin: true, known: true, setupPending: false, openDialog() {} },
}))
vi.mock('../../api/session', () => ({ useSession: () => session }))
vi.mock('../../api/findings', async (original) => ({
  ...(await original<typeof import('../../api/findings')>()),
  acceptFinding: accept,
}))
vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
  useParams: () => ({ id: '7' }),
}))

const setClipboard = (value: unknown) => Object.defineProperty(navigator, 'clipboard', { configurable: true, value })

afterEach(() => {
  session.isAdmin = true
})

const framed = (node: React.ReactNode, client: QueryClient) => (
  <QueryClientProvider client={client}>
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        {node}
      </MantineProvider>
    </PreferencesProvider>
  </QueryClientProvider>
)

function show(given: Partial<FindingDetail> = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(findingQuery(7).queryKey, { ...pathsDown, ...given })
  return render(framed(<FindingPage />, client))
}

it('finding: title, severity, confidence and cause stand above what to do, which stands above the evidence', () => {
  const { container } = show()
  const text = container.textContent ?? ''
  const places = ['4 of 8 paths down on esx-01', 'Elevated', 'lead to fa-2', 'What to do', 'Evidence', 'Paths by host']
  expect(places.map((one) => text.indexOf(one)).every((at, index, all) => at > (all[index - 1] ?? -1))).toBe(true)
  expect(screen.getByRole('link', { name: /metro-06/ }).getAttribute('href')).toBe('/datastores/6')
})

it('finding: advice keeps its order, with effect, who must agree, the next limit, and each command to copy', async () => {
  const copied = vi.fn((_: string) => Promise.resolve())
  setClipboard({ writeText: copied })
  const { container } = show()
  const text = container.textContent ?? ''
  expect(text.indexOf('Repair the paths')).toBeLessThan(text.indexOf('Prefer the local array'))
  expect(text).toContain('Takes effect at once · Agree with: storage, virtualization')
  expect(text).toContain('Next limit: array ports')
  expect(text).toContain('esx-01 · ESXi Shell or SSH 4 of 8 paths → 8 paths')
  expect(screen.queryByRole('button', { name: 'Copy: Undo' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Copy: Change' }))
  expect(copied).toHaveBeenCalledWith('esxcli storage core adapter rescan --all')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Copy: Change' }).textContent).toBe('Copied'))
})

it('finding: where a browser does not copy, the command is selected', async () => {
  setClipboard(undefined)
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Copy: Show' }))
  await waitFor(() => expect(String(window.getSelection())).toBe('esxcli storage core path list'))
})

it('finding: objects that differ are marked by a word, and what was not measured is no zero', () => {
  show()
  const rows = within(screen.getByRole('table', { name: 'Paths by host' })).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent?.includes('differs'))).toEqual([false, true, false])
  expect(rows[2]?.textContent).toContain('not measured')
  expect(screen.getByRole('table', { name: 'Evidence' }).textContent).toContain('≈ not measured')
})

it('finding: only an admin accepts, and who accepted it, why and until when stands on the page', () => {
  session.isAdmin = false
  const { unmount } = show()
  expect(screen.getByRole('button', { name: 'Accept' }).hasAttribute('disabled')).toBe(true)
  unmount()
  session.isAdmin = true
  const accepted = { by: 'Ada', why: 'Planned work', at: '2026-11-24T09:05:00Z', until: '2026-12-01T12:00:00Z' }
  const { container } = show({ state: 'accepted', accepted })
  expect(container.textContent).toContain('Accepted by Ada until 1 Dec 2026, 12:00:00 UTC Planned work')
  expect(screen.getByRole('button', { name: 'Withdraw acceptance' })).toBeTruthy()
})

it('finding: a cleared one has its time, and nothing to accept', () => {
  const { container } = show({ state: 'cleared', cleared_at: '2026-11-24T09:20:00Z' })
  expect(container.textContent).toContain('Cleared 24 Nov, 09:20')
  expect(screen.queryByRole('button', { name: 'Accept' })).toBeNull()
})

it('accept dialog: asks for a reason and a name before it sends anything, and sends no end where there is none', async () => {
  localStorage.clear()
  const onClose = vi.fn()
  render(framed(<AcceptDialog finding={pathsDown} onClose={onClose} />, new QueryClient()))
  fireEvent.click(await screen.findByRole('button', { name: 'Accept' }))
  expect(screen.getByText('Enter a reason.')).toBeTruthy()
  expect(accept).not.toHaveBeenCalled()
  fireEvent.change(screen.getByLabelText(/Reason/), { target: { value: ' Planned work ' } })
  fireEvent.change(screen.getByLabelText(/name/i), { target: { value: 'Ada' } })
  fireEvent.change(screen.getByLabelText('Until'), { target: { value: '' } })
  fireEvent.click(screen.getByRole('button', { name: 'Accept' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(accept).toHaveBeenCalledWith(7, { by: 'Ada', why: 'Planned work', until: null })
})

it('finding: what a step would do is predicted as ranges from the ten minutes before it was last seen', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const trial = { object: { kind: 'device' as const, id: 40, name: 'naa.1' }, settings: { dsnro: 64 } }
  const [first, ...others] = pathsDown.advice_list
  const seen_at = '2026-11-24T10:05:30Z'
  client.setQueryData(findingQuery(7).queryKey, {
    ...pathsDown,
    seen_at,
    advice_list: [{ ...first, trial } as (typeof pathsDown.advice_list)[number], ...others],
  })
  const subject = { kind: 'device', id: 40, from_at: '2026-11-24T09:55:00.000Z', to_at: '2026-11-24T10:05:00.000Z' }
  const body = { subject, scenario: { dsnro: 64, lifts_iops_limit: false } } as WhatIfBody
  const change = (before: number | null, lower: number, upper: number | null) => ({ before, lower, upper })
  client.setQueryData(whatIfQuery(body).queryKey, {
    total_us: change(930, 550, 620),
    iops: change(65_000, 66_000, null),
    neighbor_us: change(900, 500, 600),
  } as WhatIf)
  render(framed(<FindingPage />, client))
  const said = 'Predicted: latency 0.93 ms → 0.55 ms to 0.62 ms · 65,000 IOPS → 66,000 IOPS to no bound'
  expect(screen.getByText(`${said} · other VMs of the queue 0.90 ms → 0.50 ms to 0.60 ms`)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Open what-if' }).getAttribute('href')).toBe('/whatif')
})

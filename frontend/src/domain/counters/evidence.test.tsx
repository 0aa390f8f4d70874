import { MantineProvider } from '@mantine/core'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps, ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { Evidence } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { EvidenceCard } from './EvidenceCard'
import { EvidenceLink } from './EvidenceLink'
import { evidenceWords, leadOf } from './evidenceSides'

const setSearch = vi.fn()
vi.mock('../../lib/url', () => ({ useSetSearch: () => setSearch }))
vi.mock('@tanstack/react-router', () => ({
  Link: ({ onClick, children }: ComponentProps<'a'>) => (
    <a href="/evidence" onClick={onClick}>
      {children}
    </a>
  ),
}))

// What is in sight is as high as the screen, of which jsdom has none.
vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40 })),
    getTotalSize: () => 40 * count,
  }),
}))

const number = (side: Evidence['side'], label: string, given: Partial<Evidence> = {}): Evidence => ({
  side,
  label,
  name: 'read_gavg_us',
  subject: { kind: 'datastore', id: 8, name: 'vdi-08' },
  value: 969.7,
  unit: 'µs',
  precision: 1,
  counter: `${side}.counter`,
  sources: [{ kind: 'source', id: 1, name: side === 'host' ? 'vcenter-2' : 'flasharray-2' }],
  at: '2026-11-22T05:33:00Z',
  direction: 'read',
  ...given,
})

const inPage = (node: ReactNode) => (
  <PreferencesProvider>
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      {node}
    </MantineProvider>
  </PreferencesProvider>
)

const show = (evidence: readonly Evidence[]) => render(inPage(<EvidenceCard evidence={evidence} />))

it('each side has a table of its own, with counter, steps, source and time of every number', () => {
  show([number('host', 'Read GAVG'), number('array', 'Read array service', { value: 358 })])
  const hosts = within(screen.getByRole('table', { name: 'Evidence: Hosts' })).getAllByRole('row')
  const array = within(screen.getByRole('table', { name: 'Evidence: Array' })).getAllByRole('row')
  expect([hosts.length, array.length]).toEqual([2, 2])
  for (const words of ['Read GAVG', 'host.counter', '0.97 ms', '1 µs', 'vdi-08', 'vcenter-2', '05:33'])
    expect(hosts[1]?.textContent).toContain(words)
  for (const words of ['Read array service', '0.36 ms', 'flasharray-2']) expect(array[1]?.textContent).toContain(words)
})

it('on a phone whose number it is stands below it, and no box has to be scrolled for it', () => {
  show([number('host', 'Read GAVG')])
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Metric, counter',
    'Value, resolution',
  ])
  expect(screen.getAllByRole('row')[1]?.textContent).toContain('vdi-08vcenter-2through 05:33')
})

it('on a phone what most numbers are of, and from, is said once above them, and what differs says its own', () => {
  const other = { kind: 'host', id: 4, name: 'esx-04' } as const
  show([number('host', 'Read GAVG'), number('host', 'Write GAVG'), number('host', 'Read IOPS', { subject: other })])
  const [, read, write, iops] = screen.getAllByRole('row').map(({ textContent }) => textContent)
  for (const row of [read, write]) expect(row).not.toMatch(/vdi-08|vcenter-2/)
  expect(iops).toContain('esx-04vcenter-2')
  expect(screen.getByText('unless noted otherwise').parentElement?.textContent).toBe(
    'Object: vdi-08source: vcenter-2unless noted otherwise',
  )
})

it('the array’s numbers of a VM or a host are of its volumes, those of a datastore its own', () => {
  const vm = { kind: 'vm', id: 3, name: 'app-03' } as const
  show([number('host', 'Read GAVG', { subject: vm }), number('array', 'Read IOPS', { subject: vm })])
  const [, host] = within(screen.getByRole('table', { name: 'Evidence: Hosts' })).getAllByRole('row')
  const [, array] = within(screen.getByRole('table', { name: 'Evidence: Array' })).getAllByRole('row')
  expect(array?.textContent).toContain('volumes of app-03')
  expect(host?.textContent).not.toContain('volumes of')
  expect(leadOf({ side: 'array', subject: { kind: 'host', id: 1, name: 'esx-01' } })).toBe('volumes of ')
  expect(leadOf({ side: 'array', subject: { kind: 'datastore', id: 1, name: 'app-05' } })).toBe('')
})

it('two sources are cut each in its own middle', () => {
  onScreen(1440)
  const sources = ['flasharray-east-1', 'flasharray-west-2'].map((name, id) => ({ kind: 'source' as const, id, name }))
  const { container } = show([number('array', 'Read IOPS', { sources })])
  const cut = [...container.querySelectorAll('td bdi')].map(({ textContent }) => textContent)
  for (const name of ['flasharray-east-1', 'flasharray-west-2'])
    expect(
      cut.filter((text) => text?.startsWith(name)),
      name,
    ).toHaveLength(1)
})

it('on a wide screen every column stands alone', () => {
  onScreen(1440)
  show([number('host', 'Read GAVG')])
  expect(screen.getAllByRole('columnheader')).toHaveLength(4)
})

it('a side without numbers says so', () => {
  show([number('host', 'Queue depth (DQLEN), deepest queue')])
  expect(screen.getByText('No array samples in this window.')).toBeTruthy()
})

it('the link under the diagnosis opens the counters and brings sight and keyboard to the evidence once it is there', async () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
  const evidence = [number('host', 'Read GAVG')]
  const { rerender } = render(<EvidenceLink evidence={evidence} />)
  screen.getByRole('link', { name: 'Show evidence' }).focus()
  await userEvent.keyboard('{Enter}')
  expect(setSearch).toHaveBeenCalledWith({ tab: 'counters' })
  expect(scrolled).not.toHaveBeenCalled()
  rerender(inPage(<EvidenceCard evidence={evidence} />))
  const part = screen.getByRole('region', { name: 'Evidence' })
  expect(scrolled.mock.contexts).toEqual([part])
  expect(document.activeElement).toBe(part)
})

it('says how many numbers there are of each side', () => {
  expect(evidenceWords([])).toBe('no samples from hosts or arrays')
  expect(evidenceWords([{ side: 'host' }, { side: 'array' }])).toBe('1 counter from hosts, 1 from the array')
})

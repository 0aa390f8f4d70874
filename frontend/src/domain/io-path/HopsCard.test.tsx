import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Hops } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { HopsCard } from './HopsCard'

vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40, key: index })),
    getTotalSize: () => 40 * count,
  }),
}))

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
}))

const load = { iops: 5800, bytes_per_s: null, us: 1790, precision_us: null, ios: 9.8, depth: 32 }
const hops = {
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  from_at: '2026-11-20T12:00:00Z',
  to_at: '2026-11-20T12:05:00Z',
  minutes: 5,
  ledger_until_at: '2026-11-20T12:05:00Z',
  resolution: '1m',
  hops: [
    {
      name: 'queue',
      label: 'Host queue',
      total: 1,
      nodes: [{ id: 'q1', name: 'esx-01', ref: null, detail: ['naa.1'], state: null, load }],
    },
    {
      name: 'path',
      label: 'Path',
      total: 1,
      nodes: [
        { id: 'p1', name: 'vmhba1', ref: null, detail: [], state: 'working', load: { ...load, ios: null, iops: null } },
      ],
    },
  ],
  links: [
    {
      from_id: 'q1',
      to_id: 'p1',
      name: 'kernel',
      label: 'Kernel',
      layers: ['kernel'],
      us: 120,
      lower_us: 0,
      upper_us: 520,
      is_merged: false,
    },
  ],
} as unknown as Hops

function show(given: Hops) {
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <HopsCard hops={given} named={[]} />
      </MantineProvider>
    </PreferencesProvider>,
  )
}

const rows = (name: string) =>
  [...screen.getByRole('table', { name }).querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  )
/** Name and parts of each row where columns are folded. */
const lines = (name: string) =>
  [...screen.getByRole('table', { name }).querySelectorAll('tbody td > div')].map((cell) =>
    [cell.firstElementChild, ...(cell.lastElementChild?.children ?? [])].map((part) => part?.textContent),
  )
const asTable = () => fireEvent.click(screen.getByRole('button', { name: 'Show as table' }))

it('the way of I/Os is also a table with the bounds that its picture has no room for, a spreadsheet and a link', () => {
  onScreen(1440)
  show(hops)
  for (const name of ['Save as CSV', 'Copy link to this window'])
    expect(screen.getByRole('button', { name })).toBeTruthy()
  asTable()
  expect(rows('Load per hop').map((row) => row.slice(2))).toEqual([
    ['5,800 IOPS', '1.79 ms from this hop on', '9.8 / 32'],
    ['not measured', '1.79 ms from this hop on', '–'],
  ])
  expect(rows('Latency between hops')[0]?.slice(1)).toEqual(['Kernel', '0.12 ms', '0 µs–0.52 ms'])
})

it('a time that another hop tells is words in the picture and in the table, not the same number once more', () => {
  onScreen(1440)
  const link = hops.links[0] as Hops['links'][number]
  show({ ...hops, links: [{ ...link, us: null, lower_us: null, upper_us: null, is_merged: true }] })
  const way = screen.getByText('Kernel to').closest('li')
  expect(way?.textContent).toBe('Kernel to vmhba1: not separable from the kernel time at the host queue')
  expect(screen.getByText(/^Not separable: /)).toBeTruthy()
  asTable()
  expect(rows('Latency between hops')[0]?.slice(2)).toEqual([
    'not separable from the kernel time at the host queue',
    '–',
  ])
})

it('on a phone a hop’s numbers stand below its name, each with its word, in the same order', () => {
  show(hops)
  asTable()
  expect(lines('Load per hop')).toEqual([
    ['esx-01', 'Host queue · naa.1', '5,800 IOPS', '1.79 ms from this hop on', 'ACTV 9.8 / DQLEN 32'],
    ['esx-01 · vmhba1', 'Path', 'IOPS not measured', '1.79 ms from this hop on'],
  ])
  expect(lines('Latency between hops')).toEqual([['esx-01 → vmhba1', 'Kernel', '0.12 ms', 'range 0 µs–0.52 ms']])
})

it('nothing has no numbers to save', () => {
  show({ ...hops, hops: [], links: [] })
  expect(screen.queryByRole('button')).toBeNull()
})

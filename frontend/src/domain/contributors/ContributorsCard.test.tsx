import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Contributor } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { Nobody, Ranking } from './ContributorsCard'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
}))
// Rows exist where there is room; a test has none.
vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40, key: index })),
    getTotalSize: () => 40 * count,
  }),
}))

const host = (id: number, given: Partial<Contributor>): Contributor => ({
  subject: { kind: 'host', id, name: `esx-${id}` },
  iops: 100_000,
  us: 73,
  ios: 7.3,
  lower_ios: 7,
  upper_ios: 8,
  time_share: 1,
  share_lower: 0,
  share_upper: 1,
  is_merged: false,
  ...given,
})

function shown(rows: Contributor[], sums: { whole_ios: number; all_ios: number; rest_ios: number; others?: number }) {
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <Ranking noun="host" rows={rows} total={rows.length} layers={['kernel']} {...sums} />
      </MantineProvider>
    </PreferencesProvider>,
  )
}

/** Name, share as a bar, share, I/Os inside, per I/O, IOPS. */
function numbersOf(name: string) {
  const found = screen.getAllByRole('row').find((one) => one.textContent?.includes(name))
  return [...(found?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent).slice(-4, -1)
}

it('a time that was not measured or is below what the counters can tell is never a made-up zero', () => {
  onScreen(1440)
  const rows = [
    host(1, {}),
    host(2, { us: 0, ios: 0, lower_ios: 0, upper_ios: 5, time_share: 0, share_upper: 0.4 }),
    host(3, { us: null, ios: 0, lower_ios: 0, upper_ios: 0, time_share: 0 }),
    host(4, { us: 0, ios: 0, lower_ios: 0, upper_ios: 0, time_share: 0 }),
    host(5, { us: 0, ios: 0, lower_ios: 0, upper_ios: 9, time_share: null }),
    host(6, { us: 0, ios: 0, lower_ios: 0, upper_ios: 0.04, time_share: 0, share_upper: 0.004 }),
  ]
  shown(rows, { whole_ios: 7.3, all_ios: 7.3, rest_ios: 0 })
  fireEvent.click(screen.getByRole('button', { name: 'Show all 6 hosts' }))
  expect(numbersOf('esx-1')).toEqual(['100 %', '7.3', '73 µs'])
  expect(numbersOf('esx-2')).toEqual(['≤ 40 %', '≤ 5.0', '≤ 50 µs'])
  expect(numbersOf('esx-3')).toEqual(['–', '–', 'not measured'])
  expect(numbersOf('esx-4')).toEqual(['0 %', '0', '0 µs'])
  expect(numbersOf('esx-5')).toEqual(['unknown', '≤ 9.0', '≤ 90 µs'])
  expect(numbersOf('esx-6')[0]).toBe('<1 %')
  expect(screen.queryByText(/Not assigned/)).toBeNull()
})

it('what is of nobody in the list has a row, and parts that have more than the whole are told', () => {
  onScreen(1440)
  shown([host(1, { time_share: 0.73 })], { whole_ios: 10, all_ios: 7.3, rest_ios: 2.7, others: 0.3 })
  expect(numbersOf('Not assigned to a host')).toEqual(['27 %', '2.7', ''])
  expect(screen.queryByText(/Sum of hosts/)).toBeNull()
  cleanup()
  shown([host(1, { time_share: 0.73 })], { whole_ios: 10, all_ios: 7.3, rest_ios: 2.7 })
  expect(screen.getByText(/^Sum of hosts: 7.3 outstanding; total: 10\. Counters/)).toBeTruthy()
  cleanup()
  shown([host(1, {})], { whole_ios: 5, all_ios: 7.3, rest_ios: 0 })
  expect(screen.getByText(/^Sum of hosts: 7.3 outstanding; total: 5.0/)).toBeTruthy()
})

it('nobody to rank is not said where there are no data to rank by', () => {
  const { rerender } = render(<Nobody hasData={false} layer="kernel" />)
  expect(screen.getByText('No data in this window')).toBeTruthy()
  expect(screen.queryByText('No contributors')).toBeNull()
  rerender(<Nobody hasData layer="kernel" />)
  expect(screen.getByText('No contributors')).toBeTruthy()
})

it('says how many rows are known only by a bound, and no bound that says nothing', () => {
  onScreen(1440)
  const bound = { us: 0, ios: 0, lower_ios: 0, time_share: 0 }
  const rows = [
    host(1, {}),
    host(2, { ...bound, upper_ios: 9, share_upper: 0.95 }),
    host(3, { ...bound, upper_ios: 9, share_upper: 0.5 }),
    host(4, { ...bound, upper_ios: 4, share_upper: 0.49 }),
  ]
  shown(rows, { whole_ios: 7.3, all_ios: 7.3, rest_ios: 0 })
  expect(['esx-2', 'esx-3', 'esx-4'].map((name) => numbersOf(name)[0])).toEqual(['unknown', 'unknown', '≤ 49 %'])
  expect(
    screen.getByText(/Shares relative to the measured part\. Upper bound \(≤\) only for 3 of 4 hosts/),
  ).toBeTruthy()
  cleanup()
  shown([host(1, {})], { whole_ios: 7.3, all_ios: 7.3, rest_ios: 0 })
  expect(screen.queryByText(/Upper bound/)).toBeNull()
  cleanup()
  shown([host(2, { ...bound, upper_ios: 9 })], { whole_ios: 9, all_ios: 9, rest_ios: 0 })
  expect(screen.getByText(/^Upper bound \(≤\) only for 1 of 1 host/)).toBeTruthy()
})

it('a phone says every number whole, under the name', () => {
  onScreen(390)
  const rows = [
    host(1, { time_share: 0.34, iops: 5856 }),
    host(2, { us: 0, ios: 0, lower_ios: 0, upper_ios: 5, time_share: 0, share_upper: 0.9 }),
    host(3, { us: null, ios: 0, lower_ios: 0, upper_ios: 0, time_share: 0 }),
  ]
  shown(rows, { whole_ios: 10, all_ios: 7.3, rest_ios: 2.7, others: 0.3 })
  const told = (name: string) => screen.getAllByRole('row').find((one) => one.textContent?.includes(name))?.textContent
  expect(told('esx-1')).toBe('esx-134 % of the latencyOutstanding7.3Latency73 µsIOPS5,856')
  expect(told('esx-2')).toBe('esx-2share unknownOutstanding≤ 5.0Latency≤ 50 µsIOPS100 k')
  expect(told('esx-3')).toBe('esx-3share unknownOutstanding–Latencynot measuredIOPS100 k')
  expect(told('Not assigned')).toBe('Not assigned to a host27 % of the latencyOutstanding2.7')
})

it('five answer who it is; the others come on request, and what is of none of them has its row at once', () => {
  onScreen(1440)
  const rows = Array.from({ length: 8 }, (_, index) => host(index + 1, { time_share: 0.1 }))
  shown(rows, { whole_ios: 10, all_ios: 8, rest_ios: 2, others: 0.2 })
  const names = () =>
    screen.getAllByRole('row').map(({ textContent }) => textContent?.match(/^(esx-\d|Not assigned)/)?.[0])
  expect(names().filter(Boolean)).toEqual(['esx-1', 'esx-2', 'esx-3', 'esx-4', 'esx-5', 'Not assigned'])
  fireEvent.click(screen.getByRole('button', { name: 'Show all 8 hosts' }))
  expect(names().filter(Boolean)).toHaveLength(9)
  expect(screen.queryByRole('button', { name: /^Show all/ })).toBeNull()
})

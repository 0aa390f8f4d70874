import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { HostOnDatastore } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { HostsTable } from './HostsCard'

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

const SHARES = new Map([
  [1, '98 %'],
  [2, null],
])

const row = (given: Partial<HostOnDatastore>): HostOnDatastore => ({
  subject: { kind: 'host', id: 1, name: 'esx-1' },
  iops: 61_300,
  gavg_us: 930,
  davg_us: 492,
  kavg_us: 438,
  qavg_us: 401,
  precision_us: 1,
  queue_depth: 32,
  vms: 9,
  vms_active: 7,
  ...given,
})

function cells(name: string) {
  const found = screen.getAllByRole('row').find((one) => one.textContent?.includes(name))
  return [...(found?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent)
}

it('a host’s numbers stand in one unit, with as many decimals as its counters have, beside its share of the layer', () => {
  onScreen(1440)
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <HostsTable
          shares={SHARES}
          layer="kernel"
          hosts={[
            row({}),
            row({ subject: { kind: 'host', id: 2, name: 'esx-2' }, kavg_us: 0, qavg_us: null, precision_us: 1000 }),
            row({ subject: { kind: 'host', id: 3, name: 'esx-3' }, queue_depth: null, vms_active: null, kavg_us: 3 }),
          ]}
        />
      </MantineProvider>
    </PreferencesProvider>,
  )
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent)
  expect(heads).toEqual(['Host', 'Share', 'IOPS', 'GAVG', 'DAVG', 'KAVG', 'QAVG', 'DQLEN', 'Active VMs'])
  expect(cells('esx-1').slice(1)).toEqual(['98 %', '61,300', '0.93', '0.49', '0.44', '0.40', '32', '7 of 9'])
  expect(cells('esx-2').slice(5, 7)).toEqual(['<1', '–not measured'])
  expect(cells('esx-3').slice(5)).toEqual(['<0.01', '0.40', '–not measured', '–not measured'])
})

it('counters of whole ms are told in ms, however small; a host without I/O has no latency, one without VMs no active one', () => {
  onScreen(1440)
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <HostsTable
          shares={SHARES}
          layer="kernel"
          hosts={[
            row({ gavg_us: 0, davg_us: 0, kavg_us: 0, qavg_us: 0, precision_us: 1000 }),
            row({ subject: { kind: 'host', id: 2, name: 'esx-2' }, iops: 0, gavg_us: null, vms: 0, vms_active: null }),
          ]}
        />
      </MantineProvider>
    </PreferencesProvider>,
  )
  expect(cells('esx-1').slice(3, 7)).toEqual(['<1', '<1', '<1', '<1'])
  expect(cells('esx-2').slice(2)).toEqual(['0', 'no I/O', 'no I/O', 'no I/O', 'no I/O', '32', '0'])
})

it('on a phone a host’s numbers stand below its name, each with its word, and none beside the screen', () => {
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <HostsTable
          shares={SHARES}
          layer="kernel"
          hosts={[row({ qavg_us: null }), row({ subject: { kind: 'host', id: 2, name: 'esx-2' }, iops: 0 })]}
        />
      </MantineProvider>
    </PreferencesProvider>,
  )
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Host'])
  expect(cells('esx-1')).toEqual([
    'esx-1Share98 %IOPS61,300GAVG0.93DAVG0.49KAVG0.44QAVG–not measuredDQLEN32Active VMs7 of 9',
  ])
  expect(cells('esx-2')).toEqual([
    'esx-2Share–not measuredIOPS0GAVGno I/ODAVGno I/OKAVGno I/OQAVGno I/ODQLEN32Active VMs7 of 9',
  ])
})

import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { DeviceOut, GapOut, Happened } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { DESK_SCREENS, overhang, shownOn } from '../../testing/tableWidth'
import { EventsCard, GapsTable } from '../counters/GapsCard'
import { DevicesTable, deviceColumns } from './DevicesTable'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}))

// What is in sight is as high as the screen, of which jsdom has none.
vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40 })),
    getTotalSize: () => 40 * count,
    measureElement: () => undefined,
  }),
}))

const show = (node: ReactNode) =>
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        {node}
      </MantineProvider>
    </PreferencesProvider>,
  )
const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)

it('working paths and what a device is tied to stand beside it, in sight on a phone', () => {
  const devices: DeviceOut[] = []
  const { unmount } = show(<DevicesTable devices={devices} withHost={false} isLive />)
  expect(heads()).toEqual(['Device', 'Paths'])
  unmount()
  show(<DevicesTable devices={devices} isLive />)
  expect(heads()).toEqual(['Host', 'Paths'])
})

const DEVICE = {
  id: 1,
  host: { kind: 'host', id: 4, name: 'esx-04' },
  canonical_name: 'naa.624a93701',
  queue_depth: 128,
  dsnro: 32,
  path_policy: null,
  paths_total: 4,
  paths_working: 3,
  volume: { kind: 'volume', id: 9, name: 'v0' },
  match: { matched: true, by: 'naa', reason: null, remedy: null, needs_action: false },
  newest: { iops: 4000, gavg_us: 700, precision_us: 1, in_flight_ios: 2.04, depth_in_force: 32 },
} as DeviceOut
const NOT_MEASURED = { iops: null, gavg_us: null, precision_us: null, in_flight_ios: null, depth_in_force: null }

it('a device says what it does, and which depth is in force beside the one that is set', () => {
  onScreen(1600)
  show(<DevicesTable devices={[DEVICE, { ...DEVICE, id: 2, newest: NOT_MEASURED }]} withHost={false} isLive />)
  expect(heads()).toEqual([
    ...['Device', 'Paths', 'Array volume', 'IOPS', 'GAVG', 'Active (ACTV)', 'Depth (DQLEN)', 'Configured', 'DSNRO'],
    'Path policy',
  ])
  const [, busy, unknown] = screen.getAllByRole('row').map((row) => row.textContent)
  expect(busy).toContain('4,0000.70 ms2.03212832')
  // Nothing of it is a zero where nobody measured it.
  expect(unknown).toContain('not measurednot measurednot measurednot reported12832')
})

it('of another time than now a device shows its settings and nothing of the last minute', () => {
  onScreen(1600)
  const { unmount } = show(<DevicesTable devices={[DEVICE]} withHost={false} isLive={false} />)
  expect(heads()).toEqual(['Device', 'Paths', 'Array volume', 'Configured', 'DSNRO', 'Path policy'])
  unmount()
  onScreen(390)
  show(<DevicesTable devices={[DEVICE]} isLive={false} />)
  expect(screen.getAllByRole('row')[1]?.textContent).not.toContain('IOPS')
})

it('on a phone a device says all of its columns, each with its heading, beside its paths', () => {
  show(<DevicesTable devices={[DEVICE]} isLive />)
  const row = screen.getAllByRole('row')[1]?.textContent
  for (const words of ['esx-04', 'v0', 'IOPS4,000', 'GAVG0.70 ms', 'Active (ACTV)2.0', 'Depth (DQLEN)32', '3/4 active'])
    expect(row).toContain(words)
})

it.each(DESK_SCREENS)('all numbers of a device are on a screen of %i px', (screen_px) => {
  for (const withHost of [true, false]) {
    expect(shownOn(deviceColumns(withHost), screen_px).folded, String(withHost)).toEqual([])
    expect(overhang(deviceColumns(withHost), screen_px), String(withHost)).toBe(0)
  }
})

it('a gap and why it is there are one column on a phone, nothing of it beside the screen', () => {
  const gap = {
    source: { id: 1, kind: 'flasharray', name: 'fa-1' },
    stream: 'array_volume',
    subject: null,
    from_at: '2026-11-21T12:00:00Z',
    to_at: '2026-11-21T12:05:00Z',
    reason: 'the array did not answer in time',
    state: 'pending_backfill',
  } as GapOut
  show(<GapsTable gaps={[gap]} />)
  expect(heads()).toEqual(['When'])
  const row = screen.getAllByRole('row')[1]?.textContent
  for (const words of ['12:00', 'the array did not answer in time', 'fa-1', 'backfill pending'])
    expect(row).toContain(words)
})

it('events that lead nowhere have no column for where they lead', () => {
  onScreen(1440)
  const event = { at: '2026-11-21T12:01:00Z', kind: 'poll', text: 'read again', subject: null }
  const happened = (subject: unknown) =>
    ({
      from_at: '2026-11-21T12:00:00Z',
      to_at: '2026-11-21T13:00:00Z',
      gaps: [],
      events: [event, { ...event, subject }],
    }) as unknown as Happened
  const { unmount } = show(<EventsCard happened={happened(null)} alerts={[]} />)
  expect(heads()).toEqual(['When', 'Type', 'Event'])
  unmount()
  show(<EventsCard happened={happened({ kind: 'vm', id: 1, name: 'vm-1' })} alerts={[]} />)
  expect(heads()).toContain('Link')
})

// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { DeviceOut, GapOut, Series } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { DevicesTable } from './DevicesTable'
import { GapsCard, GapsTable } from './GapsCard'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}))

// What is in sight is as high as the screen, of which jsdom has none.
vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40 })),
    getTotalSize: () => 40 * count,
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
  const { unmount } = show(<DevicesTable devices={devices} withHost={false} />)
  expect(heads().slice(0, 3)).toEqual(['Device', 'Paths', 'Array volume'])
  unmount()
  show(<DevicesTable devices={devices} />)
  expect(heads().slice(0, 3)).toEqual(['Host', 'Paths', 'Array volume'])
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
  expect(heads()).toEqual(['When, and why'])
  const row = screen.getAllByRole('row')[1]?.textContent
  for (const words of ['12:00', 'the array did not answer in time', 'fa-1', 'will be read again'])
    expect(row).toContain(words)
})

it('events that lead nowhere have no column for where they lead', () => {
  onScreen(1440)
  const event = { at: '2026-11-21T12:01:00Z', kind: 'poll', text: 'read again', subject: null }
  const series = (subject: unknown) =>
    ({
      from_at: '2026-11-21T12:00:00Z',
      to_at: '2026-11-21T13:00:00Z',
      gaps: [],
      events: [event, { ...event, subject }],
    }) as unknown as Series
  const { unmount } = show(<GapsCard series={series(null)} alerts={[]} />)
  expect(heads()).toEqual(['When', 'Kind', 'What happened'])
  unmount()
  show(<GapsCard series={series({ kind: 'vm', id: 1, name: 'vm-1' })} alerts={[]} />)
  expect(heads()).toContain('To')
})

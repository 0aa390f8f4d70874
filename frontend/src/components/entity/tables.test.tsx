// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { DeviceOut, Series } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { DevicesTable } from './DevicesTable'
import { GapsCard } from './GapsCard'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
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

it('working paths stand beside what they lead to, in sight on a phone', () => {
  const devices: DeviceOut[] = []
  const { unmount } = show(<DevicesTable devices={devices} withHost={false} />)
  expect(heads().slice(0, 2)).toEqual(['Device', 'Paths'])
  unmount()
  show(<DevicesTable devices={devices} />)
  expect(heads().slice(0, 2)).toEqual(['Host', 'Paths'])
})

it('events that lead nowhere have no column for where they lead', () => {
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

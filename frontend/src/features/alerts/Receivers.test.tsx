// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { channelsQuery } from '../../api/alerts'
import type { AlertOut, ChannelOut } from '../../api/types'
import { Receivers, ToldToNobody, takersOf } from './Receivers'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children, ...more }: { to: string; children: React.ReactNode }) => (
    <a href={to} {...more}>
      {children}
    </a>
  ),
}))

const channel = (given: Partial<ChannelOut>): ChannelOut =>
  ({
    id: 1,
    name: 'on call',
    enabled: true,
    state: 'ok',
    route: { min_severity: 'info', matchers: [] },
    ...given,
  }) as ChannelOut
const CRITICAL = channel({ name: 'pager', route: { min_severity: 'critical', matchers: [] } })
const MATCHING = channel({ route: { matchers: [{ label: 'array', pattern: 'fa-*', negated: false }] } as never })
const WARNING = { severity: 'warning' } as AlertOut

function show(channels: ChannelOut[], what: React.ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(channelsQuery().queryKey, channels)
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <QueryClientProvider client={client}>{what}</QueryClientProvider>
    </MantineProvider>,
  )
  client.clear()
}

it('a channel takes what is severe enough, while it is switched on', () => {
  expect(takersOf(WARNING, [channel({}), CRITICAL]).names).toEqual(['on call'])
  expect(takersOf({ severity: 'critical' }, [CRITICAL]).names).toEqual(['pager'])
  const away = [channel({ enabled: false, state: 'disabled' }), channel({ state: 'off' })]
  expect(takersOf(WARNING, away)).toEqual({ names: [], mayMatch: false })
  expect(takersOf(WARNING, [channel({ state: 'failing' })]).names).toEqual(['on call'])
})

it('an alert that no channel takes is told to nobody, and says so with the way to the channels', () => {
  show([CRITICAL], <Receivers alert={WARNING} />)
  expect(document.body.textContent).toContain('No channel takes this: nobody would be told')
  expect(screen.getByRole('link', { name: 'Channels' }).getAttribute('href')).toBe('/alerts/channels')
})

it('nothing is claimed of channels that choose by labels', () => {
  show([MATCHING], <Receivers alert={WARNING} />)
  expect(document.body.textContent).not.toContain('nobody')
})

it.each([
  [[], 'no channel is set up', 'Add a channel'],
  [[channel({ enabled: false, state: 'disabled' })], 'no channel is switched on', 'Go to the channels'],
])('the page says that nobody is told where no channel works', (channels, words, action) => {
  show(channels, <ToldToNobody />)
  expect(document.body.textContent).toContain(`Alerts are told to nobody: ${words}`)
  expect(screen.getByRole('link', { name: action }).getAttribute('href')).toBe('/alerts/channels')
})

it('says nothing where a channel works', () => {
  show([channel({})], <ToldToNobody />)
  expect(document.body.textContent).not.toContain('nobody')
})

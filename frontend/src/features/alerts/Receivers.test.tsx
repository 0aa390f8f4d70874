import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { channelsQuery } from '../../api/alerts'
import { client } from '../../api/client'
import type { AlertOut, ChannelOut } from '../../api/types'
import { Receivers, takersOf, troublesOf, UntoldNote } from './Receivers'

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
    dead: 0,
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
  expect(document.body.textContent).toContain('No channel accepts this alert: no notification')
  expect(screen.getByRole('link', { name: 'Channels' }).getAttribute('href')).toBe('/alerts/channels')
})

it('nothing is claimed of channels that choose by labels', () => {
  show([MATCHING], <Receivers alert={WARNING} />)
  expect(document.body.textContent).not.toContain('no notification')
})

it.each([
  [[], 'configured', 'Add channel'],
  [[channel({ enabled: false, state: 'disabled' })], 'enabled', 'Open channels'],
])('the page says that nobody is told where no channel works', (channels, words, action) => {
  show(channels, <UntoldNote />)
  expect(document.body.textContent).toContain(`No notification channel ${words}: alerts are not sent`)
  expect(screen.getByRole('link', { name: action }).getAttribute('href')).toBe('/alerts/channels')
})

it('says nothing where every channel works', () => {
  show([channel({})], <UntoldNote />)
  expect(document.body.textContent).toBe('')
})

it('channels that fail or were given up, and messages that did not arrive, are told where alerts are looked at', () => {
  show([channel({}), channel({ name: 'pager', state: 'failing', dead: 2 })], <UntoldNote />)
  expect(screen.getByRole('status').textContent).toContain(
    '“\u2068pager\u2069” failing: notifications are queued and retried.',
  )
  expect(screen.getByRole('status').textContent).toContain('2 notifications not delivered.')
  expect(screen.getByRole('link', { name: 'Open channels' }).getAttribute('href')).toBe('/alerts/channels')
})

it('tells each kind of trouble in a sentence of its own', () => {
  const off = channel({ name: 'chat', state: 'off', dead: 1 })
  const failing = ['a', 'b'].map((name) => channel({ name, state: 'failing' }))
  expect(troublesOf([off, ...failing])).toEqual([
    '“\u2068a\u2069”, “\u2068b\u2069” failing: notifications are queued and retried.',
    'Gavel disabled “\u2068chat\u2069”: notifications are not sent.',
    '1 notification not delivered.',
  ])
  expect(troublesOf([channel({ enabled: false, state: 'disabled' })])).toEqual([])
})

it('does not let channels that could not be read pass for channels that work', async () => {
  vi.spyOn(client, 'GET').mockRejectedValue(new TypeError('network'))
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <QueryClientProvider client={cache}>
        <UntoldNote />
      </QueryClientProvider>
    </MantineProvider>,
  )
  expect((await screen.findByRole('status')).textContent).toContain('Notification status unknown')
  cache.clear()
})

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { notificationsQuery } from '../../../api/alerts'
import type { ChannelOut } from '../../../api/types'
import { PreferencesProvider } from '../../../lib/preferences'
import { ChannelCard } from './ChannelCard'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: React.ReactNode }) => <a href="/">{children}</a>,
}))
vi.mock('../../../api/session', () => ({ useSession: () => ({ isAdmin: true, known: true }) }))

const CHANNEL = {
  id: 2,
  name: 'pager',
  kind: 'webhook',
  enabled: true,
  state: 'failing',
  failures: 4,
  retry_at: null,
  off_reason: null,
  dead: 1,
  pending: 0,
  route: { min_severity: 'info', matchers: [] },
  last_delivered_at: null,
} as unknown as ChannelOut
const ANSWER = `The receiver answered 503 after 10 s: ${'upstream is away '.repeat(12)}`

function show(channel: ChannelOut, details: (string | null)[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const items = details.map((detail, id) => ({ id, state: detail === null ? 'pending' : 'dead', detail }))
  client.setQueryData(notificationsQuery({ channel: 2, state: null }, 0).queryKey, {
    items,
    total: items.length,
  } as never)
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <QueryClientProvider client={client}>
          <ChannelCard channel={channel} kindTitle="Webhook" secondName={null} onEdit={() => 0} onRemove={() => 0} />
        </QueryClientProvider>
      </MantineProvider>
    </PreferencesProvider>,
  )
  client.clear()
}

it('a channel that fails says on its card what was last answered, whole', () => {
  show(CHANNEL, [null, ANSWER, 'older'])
  expect(screen.getAllByRole('alert')[0]?.textContent).toContain(`Last response: ${ANSWER}`)
})

it('one message is spoken of as one, and in plain words', () => {
  show(CHANNEL, [ANSWER])
  expect(screen.getByRole('button', { name: 'Resend' })).toBeTruthy()
  expect(document.body.textContent).toContain('resend it if it still applies')
  expect(document.body.textContent).toContain('Not delivered1 notification')
  expect(document.body.textContent).not.toMatch(/dead letter|Told instead/i)
})

it('several are spoken of as several', () => {
  show({ ...CHANNEL, dead: 3 }, [ANSWER])
  expect(screen.getByRole('button', { name: 'Resend all' })).toBeTruthy()
})

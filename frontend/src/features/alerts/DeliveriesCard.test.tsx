import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { AlertMessage } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import { DeliveriesCard } from './DeliveriesCard'

vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40, key: index })),
    getTotalSize: () => 40 * count,
  }),
}))

const ANSWER =
  'Connecting to chat.example.org:443 took longer than 10 s. Check the address, the firewall between, and that the receiver answers.'
const MESSAGE = {
  id: 12,
  channel_name: 'storage on call',
  status: 'firing',
  state: 'dead',
  attempts: 4,
  detail: ANSWER,
  created_at: '2026-11-22T11:30:14Z',
  finished_at: null,
} as AlertMessage

const rows = (messages: readonly AlertMessage[]) => {
  render(
    <PreferencesProvider>
      <DeliveriesCard messages={messages} />
    </PreferencesProvider>,
  )
  return [...screen.getByRole('table', { name: 'Deliveries' }).querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  )
}

it('an answer is read whole, without pointing at it', () => {
  onScreen(1440)
  const [row, waiting] = rows([MESSAGE, { ...MESSAGE, id: 13, detail: null }])
  expect([row?.[0], row?.[4], row?.[5]]).toEqual(['storage on call', '4', ANSWER])
  expect(waiting?.[5]).toBe('')
})

it('on a phone a delivery is one column, with all that the others say', () => {
  const [row] = rows([MESSAGE])
  expect(row).toHaveLength(1)
  expect(row?.[0]).toContain('storage on call')
  expect(row?.[0]).toContain('22 Nov 2026, 11:30:14')
  expect(row?.[0]).toContain(`4 attempts${ANSWER}`)
})

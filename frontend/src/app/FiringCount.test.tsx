import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { alertsNowQuery } from '../api/alerts'
import { client } from '../api/client'
import { PreferencesProvider } from '../lib/preferences'
import { FiringCount } from './FiringCount'

const READ_AT = Date.UTC(2026, 10, 22, 8, 50, 5)
const now = (firing: number) => ({
  alerts: Array.from({ length: firing }, (_, id) => ({ id, state: 'firing', severity: id === 1 ? 'warning' : 'info' })),
  pending: [],
  analyzed_until_at: null,
})

function show(known?: number) {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  if (known !== undefined) {
    cache.setQueryData(alertsNowQuery().queryKey, now(known) as never, { updatedAt: READ_AT })
  }
  const { container } = render(
    <QueryClientProvider client={cache}>
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <FiringCount />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  )
  return container
}

// A minute later, so that what was read is old enough to be read again.
beforeEach(() => {
  vi.setSystemTime(READ_AT + 60_000)
})

describe('the count of firing alerts in the menu', () => {
  it('says that it is not known before the first answer, also where none comes', async () => {
    vi.spyOn(client, 'GET').mockRejectedValue(new TypeError('network'))
    show()
    expect(screen.getByText('?')).toBeTruthy()
    await waitFor(() => expect(client.GET).toHaveBeenCalled())
    expect(screen.getByTitle('number of firing alerts unknown').textContent).toBe('? number of firing alerts unknown')
  })

  it('keeps what was last read, and says when, while reading fails', async () => {
    vi.spyOn(client, 'GET').mockRejectedValue(new TypeError('network'))
    show(3)
    const count = await screen.findByTitle('3 firing at 08:50:05 UTC, no update since')
    expect(count.textContent).toContain('3')
    expect(count.dataset.known).toBe('true')
    // In the color of the worst.
    expect(count.dataset.tone).toBe('warn')
  })

  it('does not let silence pass for quiet', async () => {
    vi.spyOn(client, 'GET').mockRejectedValue(new TypeError('network'))
    show(0)
    const count = await screen.findByTitle('none firing at 08:50:05 UTC, no update since')
    expect(count.textContent).toContain('?')
  })

  it('is not there when nothing fires', async () => {
    vi.spyOn(client, 'GET').mockResolvedValue({ data: now(0), response: new Response() } as never)
    const page = show(2)
    await waitFor(() => expect(page.textContent).toBe(''))
  })
})

// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { removeOffline } from '../../api/commands'
import type { OfflineEnvironmentOut } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { OfflineList } from './OfflineCard'

vi.mock('../../api/commands', () => ({ removeOffline: vi.fn(async () => undefined) }))

beforeEach(() => vi.clearAllMocks())

const SITE: OfflineEnvironmentOut = {
  name: 'site-a',
  from_at: '2026-11-24T07:30:00Z',
  to_at: '2026-11-24T08:30:00Z',
  made_at: '2026-11-25T08:41:00Z',
  size_bytes: 21_300_000,
  files: [
    { kind: 'esxtop', file_name: 'esx-04.csv.gz', subject: 'esx-04' },
    { kind: 'array', file_name: 'fa1.json.gz', subject: 'flasharray-1' },
  ],
  notes: ['Names of datastores are in no capture.'],
}

const shown = (isAdmin: boolean) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <PreferencesProvider>
          <OfflineList environments={[SITE]} isAdmin={isAdmin} />
        </PreferencesProvider>
      </MantineProvider>
    </QueryClientProvider>,
  )

it('offline environment is listed with window, size, files and the way to its pages', () => {
  shown(false)
  const row = within(screen.getByRole('listitem'))
  expect(row.getByRole('link', { name: 'Open site-a' })).toHaveProperty('pathname', '/offline/site-a/')
  expect(row.getByText(/24 Nov, 07:30 to 08:30 UTC · 21.3 MB/)).toBeDefined()
  expect(row.getByText('From esx-04.csv.gz (esx-04), fa1.json.gz (flasharray-1)')).toBeDefined()
  expect(row.getByText('Names of datastores are in no capture.')).toBeDefined()
  expect(row.queryByRole('button')).toBeNull()
})

it('offline environment is removed by the admin once the question is answered', async () => {
  shown(true)
  fireEvent.click(screen.getByRole('button', { name: 'Remove site-a' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove offline environment' }))
  expect(removeOffline).not.toHaveBeenCalled()
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(removeOffline).toHaveBeenCalledWith('site-a'))
})

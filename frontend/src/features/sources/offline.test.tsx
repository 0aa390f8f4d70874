import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { addPart } from '../../api/commands'
import { addOffline, offlineBuildsQuery, offlineQuery, removeOffline, removeOfflineBuild } from '../../api/offline'
import type { FileImport, OfflineBuild, OfflineEnvironmentOut } from '../../api/types'
import { ApiError } from '../../lib/errors'
import { PreferencesProvider } from '../../lib/preferences'
import { BuildList, OfflineList } from './OfflineCard'
import { OfflineDialog } from './OfflineDialog'

vi.mock('../../api/commands', () => ({ addPart: vi.fn(), getImport: vi.fn() }))

vi.mock('../../api/offline', async (actual) => ({
  ...(await actual<typeof import('../../api/offline')>()),
  addOffline: vi.fn(),
  removeOffline: vi.fn(async () => undefined),
  removeOfflineBuild: vi.fn(async () => undefined),
}))

beforeEach(() => vi.resetAllMocks())

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

const BUILD: OfflineBuild = {
  name: 'site-b',
  state: 'uploading',
  created_at: '2026-11-25T08:50:00Z',
  step: null,
  error: null,
  files: [
    {
      import_id: 31,
      is_upload: true,
      file_name: 'a.csv',
      size_bytes: 4_000_000,
      received_bytes: 1_000_000,
      read_bytes: 0,
    },
    { import_id: 7, is_upload: false, file_name: 'b.csv', size_bytes: 9_000_000, received_bytes: 0, read_bytes: 0 },
  ],
}

/** What the API answers; nothing is asked while a test runs. */
function rendered(children: React.ReactNode, builds: OfflineBuild[] = [], environments = [SITE]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  vi.spyOn(client, 'invalidateQueries').mockResolvedValue()
  client.setQueryData(offlineBuildsQuery().queryKey, builds)
  client.setQueryData(offlineQuery().queryKey, environments)
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <PreferencesProvider>{children}</PreferencesProvider>
      </MantineProvider>
    </QueryClientProvider>,
  )
  return client
}

const shown = (isAdmin: boolean) => rendered(<OfflineList environments={[SITE]} isAdmin={isAdmin} />)

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

it('offline environment on its way says how much has come, what it does and why there is none', () => {
  const making: OfflineBuild = { ...BUILD, name: 'site-c', state: 'making', step: 'Files are read.' }
  const failed: OfflineBuild = { ...BUILD, name: 'site-d', state: 'failed', error: 'a.csv: no capture.' }
  rendered(<BuildList builds={[BUILD, making, failed]} isAdmin={false} />)
  const [uploading, atWork, refused] = screen.getAllByRole('listitem')
  expect(uploading?.textContent).toContain('Uploading')
  expect(uploading?.textContent).toContain('977 KiB of 3.8 MiB uploaded')
  expect(within(uploading as HTMLElement).getByRole('progressbar', { name: 'site-b' })).toHaveProperty(
    'value',
    1_000_000,
  )
  expect(atWork?.textContent).toContain('Files are read.')
  expect(refused?.textContent).toContain('a.csv: no capture.')
  expect(screen.queryByRole('button')).toBeNull()
})

it('offline environment on its way is given up once the question is answered', async () => {
  rendered(<BuildList builds={[BUILD]} isAdmin />)
  fireEvent.click(screen.getByRole('button', { name: 'Remove site-b' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove offline environment' }))
  expect(dialog.getByText(/Its uploaded files are deleted/)).toBeDefined()
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(removeOfflineBuild).toHaveBeenCalledWith('site-b'))
  expect(removeOffline).not.toHaveBeenCalled()
})

const file = (bytes: number, name: string) => new File([new Uint8Array(bytes)], name)

const choose = (number: number, files: File[]) =>
  fireEvent.change(document.querySelectorAll('input[type=file]')[number] as Element, { target: { files } })

it('offline environment of files is announced with all of them, each is sent from where it broke off', async () => {
  vi.mocked(addOffline).mockResolvedValue({
    ...BUILD,
    files: [
      { import_id: 31, is_upload: true, file_name: 'a.csv', size_bytes: 10, received_bytes: 4, read_bytes: 0 },
      { import_id: 32, is_upload: true, file_name: 'fa1.json.gz', size_bytes: 5, received_bytes: 0, read_bytes: 0 },
    ],
  })
  vi.mocked(addPart).mockImplementation(async (_, position, part) => ({
    received_bytes: position + part.size,
    is_complete: true,
  }))
  rendered(<OfflineDialog onClose={() => {}} />, [], [{ ...SITE, name: 'site-b' }])
  const make = screen.getByRole('button', { name: 'Make environment' })
  expect(make).toHaveProperty('disabled', true)
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Site-b' } })
  choose(0, [file(10, 'a.csv')])
  choose(1, [file(5, 'fa1.json.gz')])
  fireEvent.change(screen.getByLabelText('UTC offset'), { target: { value: '120' } })
  await waitFor(() => expect(make).toHaveProperty('disabled', false))
  fireEvent.click(make)
  const link = await screen.findByRole('link', { name: 'Open site-b' })
  expect(link).toHaveProperty('pathname', '/offline/site-b/')
  expect(addOffline).toHaveBeenCalledWith({
    name: 'site-b',
    files: [
      { kind: 'esxtop', file_name: 'a.csv', size_bytes: 10 },
      { kind: 'array', file_name: 'fa1.json.gz', size_bytes: 5 },
    ],
    import_ids: [],
    utc_bias_minutes: -120,
  })
  expect(vi.mocked(addPart).mock.calls.map(([id, position, part]) => [id, position, part.size])).toEqual([
    [31, 4, 6],
    [32, 0, 5],
  ])
})

it('asks before what was entered of an offline environment is lost, and no more once it is being made', async () => {
  vi.mocked(addOffline).mockResolvedValue({ ...BUILD, files: [] })
  const onClose = vi.fn()
  rendered(<OfflineDialog onClose={onClose} />, [], [{ ...SITE, name: 'site-b' }])
  choose(0, [file(10, 'a.csv')])
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'site-b' } })
  fireEvent.click(screen.getByLabelText('Close'))
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Keep editing' }))
  fireEvent.click(screen.getByRole('button', { name: 'Make environment' }))
  await screen.findByRole('link', { name: 'Open site-b' })
  fireEvent.click(screen.getAllByRole('button', { name: 'Close' })[0] as Element)
  expect(onClose).toHaveBeenCalledOnce()
})

it('offline environment whose upload stalls says what came of all its files, and that it waits', async () => {
  const files = [
    {
      import_id: 31,
      is_upload: true,
      file_name: 'a.csv',
      size_bytes: 3_000_000,
      received_bytes: 3_000_000,
      read_bytes: 0,
    },
    {
      import_id: 32,
      is_upload: true,
      file_name: 'b.csv',
      size_bytes: 1_000_000,
      received_bytes: 500_000,
      read_bytes: 0,
    },
  ]
  vi.mocked(addOffline).mockResolvedValue({ ...BUILD, files })
  vi.mocked(addPart).mockRejectedValue(new Error('connection lost'))
  rendered(<OfflineDialog onClose={() => {}} />)
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'site-b' } })
  choose(0, [file(3_000_000, 'a.csv'), file(1_000_000, 'b.csv')])
  const make = screen.getByRole('button', { name: 'Make environment' })
  await waitFor(() => expect(make).toHaveProperty('disabled', false))
  fireEvent.click(make)
  expect(await screen.findByText('3.50 MB of 4 MB, waiting for the connection')).toBeDefined()
  expect(screen.getByRole('progressbar', { name: 'site-b' })).toHaveProperty('value', 3_500_000)
})

it('offline environment of an imported capture needs no upload, and is not made under a name that is taken', async () => {
  vi.mocked(addOffline).mockRejectedValue(new ApiError('to announce', 'There is one.', 409))
  const capture = { id: 7, file_name: 'esx-04.csv.gz', host_name: 'ESX-04.example.com' } as FileImport
  rendered(<OfflineDialog capture={capture} onClose={() => {}} />)
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'esx-04' } })
  expect(screen.queryByLabelText('UTC offset')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Make environment' }))
  expect((await screen.findByRole('alert')).textContent).toContain('There is one.')
  expect(vi.mocked(addOffline).mock.calls[0]?.[0]).toMatchObject({ files: [], import_ids: [7], utc_bias_minutes: null })
  expect(addPart).not.toHaveBeenCalled()
})

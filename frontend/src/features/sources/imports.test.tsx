import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { addImport, addPart, getImport, removeImport, tieImport } from '../../api/commands'
import type { FileImport } from '../../api/types'
import { DropArea } from '../../domain/imports/Uploads'
import { PART_BYTES, upload } from '../../domain/imports/upload'
import { PreferencesProvider } from '../../lib/preferences'
import { ImportList } from './ImportsCard'

vi.mock('../../api/client', async (actual) => ({
  ...(await actual<typeof import('../../api/client')>()),
  client: {
    GET: async () => ({
      data: [{ host_id: 4, host: 'esx-04', correlation: 0.62, offset_s: 1, offset_error_s: 1, compared_samples: 30 }],
      response: new Response(),
    }),
  },
}))

vi.mock('../../api/commands', () => ({
  addImport: vi.fn(),
  addPart: vi.fn(),
  getImport: vi.fn(),
  removeImport: vi.fn(async () => undefined),
  tieImport: vi.fn(async () => undefined),
}))

beforeEach(() => vi.resetAllMocks())

const READY: FileImport = {
  id: 7,
  format: 'esxtop',
  file_name: 'esx-04.csv.gz',
  size_bytes: 3_000_000,
  received_bytes: 0,
  read_bytes: 3_000_000,
  state: 'ready',
  error: null,
  created_at: '2026-11-24T08:41:00Z',
  host_name: 'esx-04.example.com',
  host_id: 4,
  host: 'esx-04',
  starts_at: '2026-11-24T07:30:00Z',
  ends_at: '2026-11-24T08:30:00Z',
  offset_s: -2,
  offset_error_s: 1,
  offset_by: 'correlation',
  correlation: 0.98,
  narrows: true,
  note: null,
  devices: 12,
  matched_devices: 11,
  suggests_offline: false,
  subject: null,
  disk_id: null,
  disk: null,
  runs: 0,
  left_out: 0,
}

const shown = (children: React.ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <PreferencesProvider>{children}</PreferencesProvider>
      </MantineProvider>
    </QueryClientProvider>,
  )

const CAPTURES = { format: 'esxtop', vm_id: null } as const

const file = (bytes: number, name = 'a.csv') => new File([new Uint8Array(bytes)], name)

/** A receiver that keeps what comes, as the API does. */
function receiver(received = 0) {
  let taken = received
  vi.mocked(addImport).mockImplementation(async (announced) => ({
    ...READY,
    ...announced,
    state: 'uploading',
    received_bytes: 0,
  }))
  vi.mocked(addPart).mockImplementation(async (_, position, part) => {
    if (position !== taken) throw new Error(`hole at ${taken}`)
    taken += part.size
    return { received_bytes: taken, is_complete: false }
  })
  vi.mocked(getImport).mockImplementation(async () => ({ ...READY, received_bytes: taken }))
}

it('an upload sends a file in parts and reports how far it is', async () => {
  receiver()
  const progress: number[] = []
  await upload(file(2 * PART_BYTES + 5), { target: CAPTURES, known: [], onProgress: (sent) => progress.push(sent) })
  expect(progress).toEqual([0, PART_BYTES, 2 * PART_BYTES, 2 * PART_BYTES + 5])
})

it('an upload that broke off is gone on with when the same file is chosen again', async () => {
  receiver(PART_BYTES)
  const begun: FileImport = {
    ...READY,
    id: 9,
    state: 'uploading',
    file_name: 'a.csv',
    size_bytes: 2 * PART_BYTES,
    received_bytes: PART_BYTES,
  }
  await upload(file(2 * PART_BYTES), { target: CAPTURES, known: [begun], onProgress: () => {} })
  expect(addImport).not.toHaveBeenCalled()
  expect(vi.mocked(addPart).mock.calls.map(([id, position]) => [id, position])).toEqual([[9, PART_BYTES]])
})

it('an upload goes on with that of the same datastore alone', async () => {
  const subject = { kind: 'datastore', id: 4, name: 'ds-prod-02' } as const
  const begun: FileImport = {
    ...READY,
    id: 9,
    format: 'fio',
    state: 'uploading',
    file_name: 'a.csv',
    size_bytes: 2 * PART_BYTES,
    received_bytes: PART_BYTES,
    subject,
  }
  const targets = [{ datastore_id: 4 }, { datastore_id: 5 }, { vm_id: 4 }, { volume_id: 4 }]
  const announced: number[] = []
  for (const tie of targets) {
    vi.resetAllMocks()
    receiver(announced.length === 0 ? PART_BYTES : 0)
    await upload(file(2 * PART_BYTES), { target: { format: 'fio', ...tie }, known: [begun], onProgress: () => {} })
    announced.push(vi.mocked(addImport).mock.calls.length)
  }
  expect(announced).toEqual([0, 1, 1, 1])
})

it('an upload whose answer was lost asks how much has come', async () => {
  receiver()
  const send = vi.mocked(addPart).getMockImplementation() as typeof addPart
  vi.mocked(addPart).mockImplementationOnce(async (...part) => {
    await send(...part)
    throw new Error('connection lost')
  })
  await upload(file(PART_BYTES + 1), { target: CAPTURES, known: [], onProgress: () => {}, pause_ms: 0 })
  expect(vi.mocked(addPart).mock.calls.map(([, position]) => position)).toEqual([0, PART_BYTES])
})

it('an upload reports a part that failed, and when it goes on', async () => {
  receiver()
  vi.mocked(addPart).mockRejectedValueOnce(new Error('connection lost'))
  const reported: [number, boolean][] = []
  await upload(file(PART_BYTES + 1), {
    target: CAPTURES,
    known: [],
    onProgress: (...news) => reported.push(news),
    pause_ms: 0,
  })
  expect(reported).toEqual([
    [0, false],
    [0, true],
    [PART_BYTES, false],
    [PART_BYTES + 1, false],
  ])
})

it('an upload that keeps failing says why', async () => {
  receiver()
  vi.mocked(addPart).mockRejectedValue(new Error('no room'))
  await expect(upload(file(10), { target: CAPTURES, known: [], onProgress: () => {}, pause_ms: 0 })).rejects.toThrow(
    'no room',
  )
  expect(addPart).toHaveBeenCalledTimes(5)
})

it('files are dropped on the card', () => {
  const onFiles = vi.fn()
  shown(<DropArea drop="Drop captures" accept=".csv" onFiles={onFiles} />)
  const area = screen.getByRole('region', { name: 'Files to import' })
  fireEvent.dragOver(area)
  expect(area.dataset.over).toBe('true')
  fireEvent.drop(area, { dataTransfer: { files: [file(1, 'a.csv'), file(1, 'b.csv')] } })
  expect(onFiles.mock.calls[0]?.[0].map(({ name }: File) => name)).toEqual(['a.csv', 'b.csv'])
  expect(area.dataset.over).toBe('false')
})

it('an import says its host, its clock and that it narrows bounds, and is removed after a question', async () => {
  vi.mocked(removeImport).mockResolvedValue(undefined)
  shown(<ImportList imports={[READY]} isAdmin />)
  const text = screen.getByRole('list', { name: 'Imports' }).textContent
  expect(text).toContain('Narrows bounds')
  expect(text).toContain('Host esx-04 · 11 of 12 devices · clock −2.00 s ± 1.00 s · aligned by I/Os, correlation 0.98')
  fireEvent.click(screen.getByRole('button', { name: 'Remove esx-04.csv.gz' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove import' }))
  expect(dialog.queryByText(/attributed again without it/)).not.toBeNull()
  expect(removeImport).not.toHaveBeenCalled()
  fireEvent.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(vi.mocked(removeImport).mock.calls[0]?.[0]).toBe(7))
})

it('an import without a host offers those that have its devices, and a failed one says why', async () => {
  vi.mocked(tieImport).mockResolvedValue(READY)
  const unknown: FileImport = { ...READY, host: null, host_id: null, offset_s: null, offset_by: null, narrows: false }
  const failed: FileImport = { ...READY, id: 8, state: 'failed', error: 'a.csv, line 4: no capture.' }
  shown(<ImportList imports={[{ ...unknown, note: 'Choose the host.' }, failed]} isAdmin />)
  fireEvent.click(await screen.findByRole('button', { name: 'Use esx-04 (correlation 0.62)' }))
  await waitFor(() => expect(tieImport).toHaveBeenCalledWith(7, 4))
  const text = screen.getByRole('list', { name: 'Imports' }).textContent
  expect(text).toContain('Host not chosen (the file says esx-04.example.com)')
  expect(text).toContain('a.csv, line 4: no capture.')
})

it('a reader sees imports and changes nothing', () => {
  shown(<ImportList imports={[READY, { ...READY, id: 8, state: 'reading', read_bytes: 1_000_000 }]} isAdmin={false} />)
  expect(screen.queryByRole('button')).toBeNull()
  expect(screen.getByRole('list').textContent).toContain('Reading')
})

it('an import that can be looked at alone offers an offline environment, to the admin', async () => {
  const apart: FileImport = { ...READY, narrows: false, suggests_offline: true }
  shown(<ImportList imports={[apart]} isAdmin />)
  fireEvent.click(screen.getByRole('button', { name: 'Open esx-04.csv.gz as offline environment' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New offline environment' }))
  expect(dialog.getByText('From esx-04.csv.gz, which is imported already')).toBeDefined()
})

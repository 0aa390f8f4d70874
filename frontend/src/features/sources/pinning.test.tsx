import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { testSource } from '../../api/commands'
import { sourceKindsQuery } from '../../api/queries'
import type { Check, Preflight, SourceKind, SourceOut } from '../../api/types'
import { SourceDialog } from './SourceDialog'

vi.mock('../../api/commands', () => ({ testSource: vi.fn() }))

const SEEN = '4f1a'.repeat(16)
const KIND: SourceKind = {
  kind: 'flasharray',
  title: 'Pure Storage FlashArray',
  at_hand: 'Have at hand: a token.',
  settings_schema: {
    properties: {
      address: { title: 'Management address', type: 'string', destination: true },
      api_token: { title: 'API token', type: 'string', format: 'password', writeOnly: true },
      fingerprint_sha256: {
        title: 'Certificate fingerprint',
        anyOf: [{ type: 'string' }, { type: 'null' }],
        format: 'certificate-sha256',
        destination: true,
      },
      ca_pem: {
        title: 'Certificate authority',
        anyOf: [{ type: 'string' }, { type: 'null' }],
        format: 'multiline',
        advanced: true,
        destination: true,
      },
    },
    required: ['address', 'api_token'],
  },
}
const STORED = {
  id: 7,
  kind: 'flasharray',
  name: 'fa-west',
  enabled: true,
  settings: { address: 'fa-west.example', fingerprint_sha256: 'ab'.repeat(32) },
  secrets_set: ['api_token'],
} as unknown as SourceOut

const check = (part: Partial<Check> = {}): Check => ({
  name: 'Certificate',
  state: 'failed',
  detail: 'not trusted',
  remedy: '',
  presented_sha256: null,
  ...part,
})
const refused: Preflight = { passed: false, checks: [check({ presented_sha256: SEEN })] }
const passed: Preflight = { passed: true, checks: [check({ state: 'ok', detail: 'pinned' })] }

async function dialog(source: SourceOut | null = null) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(sourceKindsQuery().queryKey, [KIND])
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <SourceDialog source={source} onClose={vi.fn()} />
      </MantineProvider>
    </QueryClientProvider>,
  )
  // The dialog brings the focus to its first field by itself, a moment later.
  await waitFor(() => expect(document.activeElement?.hasAttribute('data-autofocus')).toBe(true))
}

/** By their names in the form: asking for roles takes seconds. */
const field = (name: string) => document.querySelector(`[name="${name}"]`) as HTMLInputElement
const fill = (name: string, value: string) => fireEvent.change(field(name), { target: { value } })
const place = () => document.querySelector('[aria-label="Test result"]')
const PIN = 'Pin certificate and test again'

beforeEach(() => {
  vi.resetAllMocks()
})

it('one press pins the certificate that was seen and tests again, in place of the authority given', async () => {
  let answer: (found: Preflight) => void = () => undefined
  vi.mocked(testSource)
    .mockResolvedValueOnce(refused)
    .mockReturnValueOnce(new Promise((resolve) => (answer = resolve)))
  await dialog()
  fill('address', 'fa.example')
  fill('api_token', 'a-token')
  fireEvent.click(screen.getByText('More settings'))
  fill('ca_pem', '-----BEGIN CERTIFICATE-----')
  fireEvent.click(screen.getByText('Test'))
  await screen.findByText(SEEN)
  expect(place()?.textContent).toContain('First compare the fingerprint')
  expect(place()?.textContent).toContain('Replaces the certificate authority given above.')
  fireEvent.click(screen.getByText(PIN))
  expect(field('fingerprint_sha256').value).toBe(SEEN)
  await waitFor(() => expect(testSource).toHaveBeenCalledTimes(2))
  expect(testSource).toHaveBeenLastCalledWith({
    kind: 'flasharray',
    settings: { address: 'fa.example', api_token: 'a-token', fingerprint_sha256: SEEN, ca_pem: null },
    source_id: null,
  })
  await waitFor(() => expect(place()?.textContent).toBe('Test running …'))
  await waitFor(() => expect(document.activeElement).toBe(place()))
  answer(passed)
  await screen.findByText('Test passed')
  expect(place()?.getAttribute('role')).toBe('status')
  expect(document.activeElement).toBe(place())
})

it('a stored secret has to be entered again for another certificate, and the focus goes there', async () => {
  vi.mocked(testSource).mockResolvedValueOnce(refused).mockResolvedValueOnce(passed)
  await dialog(STORED)
  fireEvent.click(screen.getByText('Test'))
  await screen.findByText(SEEN)
  expect(place()?.textContent).toContain('Pin it only if the certificate was renewed')
  fireEvent.click(screen.getByText(PIN))
  await screen.findByText(/^API token must be entered again/)
  expect(testSource).toHaveBeenCalledTimes(1)
  expect(document.activeElement).toBe(field('api_token'))
  fill('api_token', 'a-token')
  screen.getByText('A test saves nothing.')
  fireEvent.click(screen.getByText('Test'))
  await screen.findByText('Test passed')
  screen.getByText('Test passed, not saved yet.')
  expect(vi.mocked(testSource).mock.lastCall?.[0]).toMatchObject({
    settings: { api_token: 'a-token', fingerprint_sha256: SEEN },
    source_id: 7,
  })
})

it('a failure that is none of the certificate offers nothing to pin', async () => {
  vi.mocked(testSource).mockResolvedValueOnce({ passed: false, checks: [check({ name: 'API token' })] })
  await dialog(STORED)
  fireEvent.click(screen.getByText('Test'))
  await screen.findByText('Test failed')
  expect(screen.queryByText(PIN)).toBeNull()
})

it('a test that could not be run says so where its result would stand', async () => {
  let refuse: (error: Error) => void = () => undefined
  vi.mocked(testSource).mockReturnValueOnce(new Promise((_, reject) => (refuse = reject)))
  await dialog(STORED)
  fireEvent.click(screen.getByText('Test'))
  await waitFor(() => expect(document.activeElement).toBe(place()))
  refuse(new Error('Too many sources are being tried at once.'))
  await screen.findByText('Test not run')
  expect(document.activeElement).toBe(place())
})

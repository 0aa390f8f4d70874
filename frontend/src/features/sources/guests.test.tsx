import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { addGuestToken, revokeGuestToken, tieGuestDisk } from '../../api/commands'
import type { GuestDisk, GuestToken } from '../../api/types'
import { noteServerTime } from '../../lib/clock'
import { AddGuestsDialog } from './AddGuestsDialog'
import { CONFIGURATIONS, isListenerUrl, listenerUrl, namesIn } from './agents'
import { DiskList, Tokens } from './GuestsCard'

const SCRIPT = `url='@ADDRESS@'\ntoken='@TOKEN@'\n`

vi.mock('../../api/client', async (actual) => ({
  ...(await actual<typeof import('../../api/client')>()),
  client: {
    GET: async () => ({
      data: ['linux', 'windows'].map((system) => ({
        system,
        file_name: `${system}.file`,
        text: SCRIPT,
        address_mark: '@ADDRESS@',
        token_mark: '@TOKEN@',
      })),
      response: new Response(),
    }),
  },
}))

vi.mock('../../api/commands', () => ({
  addGuestToken: vi.fn(async () => ({ id: 1, name: 'linux', token: 'gvg_secret' })),
  revokeGuestToken: vi.fn(async () => undefined),
  tieGuestDisk: vi.fn(async () => undefined),
}))

beforeEach(() => vi.clearAllMocks())

const shown = (children: React.ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">{children}</MantineProvider>
    </QueryClientProvider>,
  )

const TOKEN: GuestToken = {
  id: 4,
  name: 'linux',
  vm_names: null,
  created_at: '2026-11-24T06:00:00Z',
  used_at: null,
  guests: 2,
  disks: 3,
  refused: [{ reason: 'unknown_measurement', lines: 1200, detail: 'cpu', last_at: '2026-11-24T06:00:00Z' }],
}

it('a configuration has the address and the token of every kind of agent filled in', () => {
  const target = { url: 'https://gavel.example.com:8322', token: 'gvg_x' }
  for (const configuration of Object.values(CONFIGURATIONS)) {
    expect(configuration(target)).toContain(target.url)
    expect(configuration(target)).toContain(target.token)
  }
  expect(listenerUrl('gavel.example.com', 8322, true)).toBe(target.url)
  expect(listenerUrl('fd00::7', 8322, false)).toBe('http://[fd00::7]:8322')
  expect(namesIn(' web-01, ,db-01 ')).toEqual(['web-01', 'db-01'])
})

it('adding guests generates a token of the named VMs and shows it once, in a configuration', async () => {
  shown(<AddGuestsDialog port={8322} guests={{ is_tls: false }} onClose={vi.fn()} />)
  expect(screen.getByRole('button', { name: 'Generate token' }).hasAttribute('disabled')).toBe(true)
  fireEvent.change(screen.getByLabelText('Token name'), { target: { value: 'linux ' } })
  fireEvent.change(screen.getByLabelText('Only these VMs'), { target: { value: 'web-01' } })
  fireEvent.click(screen.getByRole('button', { name: 'Generate token' }))
  await waitFor(() => expect(screen.getByRole('dialog').textContent).toContain('gvg_secret'))
  expect(addGuestToken).toHaveBeenCalledWith({ name: 'linux', vm_names: ['web-01'] })
  expect(screen.getByRole('dialog').textContent).toContain('Tokens travel unencrypted')
  expect(screen.getByRole('dialog').textContent).toContain('[[inputs.diskio]]')
  fireEvent.change(screen.getByLabelText('Agent'), { target: { value: 'collector' } })
  expect(screen.getByRole('dialog').textContent).toContain('Authorization: Bearer gvg_secret')
})

it('a script comes with address and token, and a text that is no address is never made part of it', async () => {
  shown(<AddGuestsDialog port={8322} guests={{ is_tls: true }} onClose={vi.fn()} />)
  fireEvent.change(screen.getByLabelText('Token name'), { target: { value: 'linux' } })
  fireEvent.click(screen.getByRole('button', { name: 'Generate token' }))
  fireEvent.change(await screen.findByLabelText('Agent'), { target: { value: 'windows' } })
  fireEvent.change(screen.getByLabelText('Listener address'), { target: { value: 'https://gavel.example.com' } })
  const text = (await screen.findByRole('region', { name: 'Text to copy' })).textContent
  expect(text).toBe("url='https://gavel.example.com'\ntoken='gvg_secret'\n")
  expect(screen.getByRole('dialog').textContent).toContain('windows.file')
  fireEvent.change(screen.getByLabelText('Listener address'), { target: { value: "https://a';reboot'" } })
  expect(screen.queryByRole('region', { name: 'Text to copy' })).toBeNull()
  expect(isListenerUrl('http://[fd00::7]:8322')).toBe(true)
})

it('a token says what came with it and was not used, and is revoked in one press', async () => {
  shown(<Tokens tokens={[TOKEN, { ...TOKEN, id: 5, name: 'mine', vm_names: ['a', 'b'] }]} isAdmin />)
  const list = screen.getByRole('list', { name: 'Tokens' }).textContent
  expect(list).toContain('not used yet · any VM')
  expect(list).toContain('only a, b')
  expect(list).toContain('1,200 other measurement')
  fireEvent.click(screen.getByRole('button', { name: 'Revoke mine' }))
  await waitFor(() => expect(vi.mocked(revokeGuestToken).mock.calls[0]?.[0]).toBe(5))
})

it('the last use of a token is an age by the server, whose clock the browser may not share', () => {
  vi.setSystemTime(Date.UTC(2026, 10, 20, 12, 0, 0))
  noteServerTime('Fri, 20 Nov 2026 11:00:30 GMT')
  shown(<Tokens tokens={[{ ...TOKEN, used_at: '2026-11-20T11:00:00Z' }]} isAdmin={false} />)
  expect(screen.getByText(/last use 30 s ago/)).toBeTruthy()
})

it('a reader sees tokens and cannot revoke them', () => {
  shown(<Tokens tokens={[TOKEN]} isAdmin={false} />)
  expect(screen.queryByRole('button')).toBeNull()
})

it('an unmatched disk says why, and a suggestion is confirmed by a person', async () => {
  const disk = {
    id: 9,
    host_name: 'web-01',
    disk: 'sdb',
    reason: 'no_identity',
    suggested_id: 77,
    suggested: 'web-01 Hard disk 2',
  }
  shown(<DiskList disks={[disk as GuestDisk]} total={3} isAdmin />)
  expect(screen.getByRole('list').textContent).toContain('disk.EnableUUID=TRUE')
  expect(screen.getByText('1 of 3 shown')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Match with web-01 Hard disk 2' }))
  await waitFor(() => expect(tieGuestDisk).toHaveBeenCalledWith(9, 77))
})

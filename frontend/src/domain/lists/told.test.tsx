// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import type { Ref, Sides } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { RefList } from '../object/RefList'
import { SidesKey } from './SidesBar'
import { sidesColumns, sidesWords, toldColumn } from './sidesColumns'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}))

const NONE: Sides = {
  at: null,
  host_iops: null,
  host_gavg_us: null,
  host_davg_us: null,
  host_kavg_us: null,
  host_precision_us: null,
  array_iops: null,
  array_internal_us: null,
  array_san_us: null,
  array_read_us: null,
  array_write_us: null,
}
const BUSY: Sides = {
  ...NONE,
  host_iops: 1465,
  host_gavg_us: 310,
  host_precision_us: 1,
  array_iops: 2393,
  array_internal_us: 190,
}

const show = (node: ReactNode) =>
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        {node}
      </MantineProvider>
    </PreferencesProvider>,
  )

describe('a row of a list on a phone', () => {
  it('says both sides’ times and operations in words, the side that leads first', () => {
    expect(sidesWords(BUSY, 'host')).toEqual(['GAVG 0.31 ms · array 0.19 ms', 'IOPS: hosts 1,465 · array 2,393'])
    expect(sidesWords(BUSY, 'disk', 'all hosts')).toEqual([
      'disks 0.31 ms · array 0.19 ms',
      'IOPS: hosts 1,465 · array 2,393, all hosts',
    ])
    expect(sidesWords(BUSY, 'array')[0]).toBe('array 0.19 ms · GAVG 0.31 ms')
  })

  it('never writes a zero for what nobody measured, nor a time for no I/O', () => {
    expect(sidesWords(NONE, 'host')).toEqual([
      'GAVG not measured · array not measured',
      'IOPS: hosts not measured · array not measured',
    ])
    expect(sidesWords({ ...NONE, host_iops: 0, array_iops: 0 }, 'host')[0]).toBe('GAVG no I/O · array no I/O')
  })

  it('keeps what its numbers have to be read with', () => {
    const notes = { host: 'to both arrays' }
    expect(sidesWords(BUSY, 'array', '', notes)).toEqual([
      'array 0.19 ms · GAVG 0.31 ms',
      'IOPS: array 2,393 · hosts 1,465 to both arrays',
    ])
    const endpoint = { ...BUSY, array_iops: 0, array_internal_us: null }
    expect(sidesWords(endpoint, 'array', '', { elsewhere: 'on its vVols', array: 'on its vVols' })).toEqual([
      'array on its vVols · GAVG 0.31 ms',
      'IOPS: array 0, on its vVols · hosts 1,465',
    ])
  })

  it('is one column beside its age, and a link', () => {
    const told = toldColumn<{ id: number; name: string; newest: Sides }>({
      header: 'VM',
      kind: 'vm',
      leads: 'disk',
    })
    const narrow = sidesColumns(1, 'disk').filter(({ from = 0 }) => from === 0)
    expect([told.narrowOnly, narrow.map(({ id }) => id)]).toEqual([true, ['age']])
    show(told.cell({ id: 7, name: 'vm-7', newest: BUSY }))
    expect(screen.getByRole('link', { name: 'vm-7' }).getAttribute('href')).toBe('/vms/7')
  })
})

it('of very many links the first fifty are drawn, and all of them on request', async () => {
  const refs = Array.from({ length: 60 }, (_, n): Ref => ({ kind: 'vm', id: n + 1, name: `vm-${n + 1}` }))
  show(<RefList refs={refs} label="VMs on this datastore" />)
  const links = () => within(screen.getByRole('list', { name: 'VMs on this datastore' })).getAllByRole('link').length
  expect(links()).toBe(50)
  await userEvent.click(screen.getByRole('button', { name: 'Show all 60' }))
  expect(links()).toBe(60)
  expect(screen.queryByRole('button')).toBeNull()
})

it('the colors of the bars are named once for a list', () => {
  show(<SidesKey />)
  const words = screen.getAllByRole('listitem').map(({ textContent }) => textContent?.trim())
  expect(words).toEqual([
    'GAVG (guest latency): DAVG (device latency)',
    '+ KAVG (kernel latency)',
    'array',
    'SAN',
    'within counter resolution',
  ])
})

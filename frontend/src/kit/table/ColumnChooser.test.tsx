import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { PreferencesProvider } from '../../lib/preferences'
import { onScreen } from '../../testing/screen'
import type { Column } from './Column'
import { ColumnChooser } from './ColumnChooser'
import { useColumnChoice } from './useColumnChoice'

const address = vi.hoisted(() => ({ columns: '', set: vi.fn() }))
vi.mock('../../lib/url', () => ({ useParameter: () => [address.columns, address.set] }))

const COLUMNS: Column<string>[] = ['Name', 'Latency', 'IOPS', 'Disks'].map((header) => ({
  id: header.toLowerCase(),
  header,
  width: 400,
  priority: header === 'Disks' ? 5 : 2,
  cell: (row) => row,
}))

function Shown() {
  const choice = useColumnChoice('things', COLUMNS)
  return (
    <>
      <ColumnChooser choice={choice} />
      <p data-testid="shown">{choice.ids.join(' ')}</p>
    </>
  )
}

const show = () =>
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false} env="test">
        <Shown />
      </MantineProvider>
    </PreferencesProvider>,
  )
const shown = () => screen.getByTestId('shown').textContent
async function open() {
  fireEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await screen.findByRole('button', { name: 'Reset' })
}

beforeEach(() => {
  localStorage.clear()
  address.columns = ''
  address.set.mockClear()
  onScreen(1440)
})

it('columns are shown, hidden and moved, and stay so when the page is opened again', async () => {
  const { unmount } = show()
  expect(shown()).toBe('name latency iops')
  await open()
  fireEvent.click(screen.getByRole('checkbox', { name: 'Disks' }))
  fireEvent.click(screen.getByRole('checkbox', { name: 'Latency' }))
  fireEvent.click(screen.getByRole('button', { name: 'Move Disks left' }))
  expect(shown()).toBe('name disks iops')
  expect(screen.getByRole('status').textContent).toBe('Disks: column 2 of 3')
  unmount()
  show()
  expect(shown()).toBe('name disks iops')
})

it('a button that moves a column keeps the focus at the end of the way, and does no more', async () => {
  show()
  await open()
  const left = screen.getByRole('button', { name: 'Move Latency left' })
  expect(left.getAttribute('aria-disabled')).toBe('true')
  fireEvent.click(left)
  expect(shown()).toBe('name latency iops')
})

it('whose numbers a row has is not offered, and reset shows what the table is by itself', async () => {
  localStorage.setItem('gavel.columns.things', 'name,disks')
  show()
  expect(shown()).toBe('name disks')
  await open()
  expect(within(screen.getByRole('list')).queryByRole('checkbox', { name: 'Name' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }))
  expect(shown()).toBe('name latency iops')
})

it('a link carries columns, before those that the browser keeps; another choice takes them out of the address', async () => {
  localStorage.setItem('gavel.columns.things', 'name,disks')
  address.columns = 'iops,name,nothing'
  show()
  expect(shown()).toBe('name iops')
  await open()
  fireEvent.click(screen.getByRole('button', { name: 'Add to link' }))
  expect(address.set).toHaveBeenLastCalledWith('name,iops', { replace: true })
  fireEvent.click(screen.getByRole('checkbox', { name: 'Latency' }))
  expect(address.set).toHaveBeenLastCalledWith('', { replace: true })
})

it('on a phone columns fold, and are chosen all the same', async () => {
  onScreen(390)
  show()
  expect(shown()).toBe('name latency iops')
  await open()
  fireEvent.click(screen.getByRole('checkbox', { name: 'Disks' }))
  expect(shown()).toBe('name latency iops disks')
})

import { cleanup, render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { VmOut } from '../../api/types'
import type { Column } from '../../kit/table/Column'
import { DisksTable } from './DisksTable'

type Disk = VmOut['vm_disks'][number]
const SETTINGS = ['limit', 'snapshots', 'filters']

vi.mock('../../kit/table/VirtualTable', () => ({
  VirtualTable: ({ columns, rowAt }: { columns: Column<Disk>[]; rowAt: (at: number) => Disk }) => (
    <ul>
      {columns
        .filter(({ id }) => SETTINGS.includes(id))
        .map(({ id, cell }) => (
          <li key={id}>{cell(rowAt(0))}</li>
        ))}
    </ul>
  ),
}))

function settings(part: Partial<Disk>): string[] {
  render(<DisksTable disks={[{ iops_limit: null, snapshot_depth: 0, io_filters: [], ...part } as unknown as Disk]} />)
  const shown = [...document.querySelectorAll('li')].map((cell) => cell.textContent ?? '')
  cleanup()
  return shown
}

it('settings of a disk that were read stand there, also where none is set', () => {
  expect(settings({})).toEqual(['none', '0', 'none'])
  expect(settings({ iops_limit: 1500, snapshot_depth: 2 }).slice(0, 2)).toEqual(['1,500 IOPS', '2'])
})

it('settings that no file says are unknown, and neither none nor 0', () => {
  expect(settings({ snapshot_depth: null })).toEqual(['unknown', 'unknown', 'unknown'])
})

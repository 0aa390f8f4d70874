import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Sides } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { NewestNumbers } from '../counters/NewestNumbers'
import { sidesColumns } from './sidesColumns'

const idle: Sides = {
  at: null,
  host_iops: null,
  host_gavg_us: null,
  host_davg_us: null,
  host_kavg_us: null,
  host_precision_us: null,
  array_iops: 0,
  array_internal_us: null,
  array_san_us: null,
  array_read_us: null,
  array_write_us: null,
}
const busy: Sides = { ...idle, array_iops: 800, array_internal_us: 1510, array_san_us: 1380 }

function cell(newest: Sides, id: string): string {
  const column = sidesColumns<{ newest: Sides }>(2000, 'host', 'all hosts').find((one) => one.id === id)
  const { container } = render(<PreferencesProvider>{column?.cell({ newest })}</PreferencesProvider>)
  return container.textContent ?? ''
}

it('time inside the array is without its port, which has a column of its own', () => {
  expect(cell(busy, 'array')).toBe('1.51 ms')
  expect(cell(busy, 'san')).toBe('1.38 ms')
})

it('no I/O has no latency, which is not the same as one that nobody measured', () => {
  expect(cell(idle, 'array')).toBe('no I/O')
  expect(cell(idle, 'array-iops')).toBe('0')
  expect(cell(idle, 'gavg')).toBe('not measured')
  expect(cell({ ...busy, array_san_us: null }, 'san')).toBe('not measured')
})

it('says whose I/Os the array counted', () => {
  const headers = (others?: string) => sidesColumns(2000, 'host', others).map(({ header }) => header)
  expect(headers('all hosts')).toContain('Array IOPS, all hosts')
  expect(headers()).toContain('Array IOPS')
  render(<NewestNumbers newest={busy} isVm={false} others="all hosts" />)
  expect(screen.getByText('Array IOPS, all hosts')).toBeTruthy()
})

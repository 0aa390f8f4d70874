import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Sides } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { mostUs } from './sides'
import { sidesColumns } from './sidesColumns'

const coarse = {
  at: null,
  host_iops: 800,
  host_gavg_us: 1000,
  host_davg_us: 0,
  host_kavg_us: 0,
  host_precision_us: 1000,
  array_iops: 800,
  array_internal_us: 1510,
  array_san_us: 1380,
} as Sides

function cell(newest: Sides, id: string) {
  const column = sidesColumns<{ newest: Sides }>(mostUs(newest), 'host').find((one) => one.id === id)
  return render(<PreferencesProvider>{column?.cell({ newest })}</PreferencesProvider>).container.textContent
}

it('a host that counts whole milliseconds says what they may stand for beside the array’s microseconds', () => {
  expect(cell(coarse, 'gavg')).toBe('0.5–2 ms')
  expect(cell(coarse, 'kavg')).toBe('0–1 ms')
  expect(cell({ ...coarse, host_precision_us: 1 }, 'gavg')).toBe('1.00 ms')
  cell(coarse, 'bars')
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Hosts 0.5–2 ms, array 2.89 ms')
})

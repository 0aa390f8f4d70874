// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { VolumeRow } from '../../api/types'
import { arrayVolumeColumns } from './arrayVolumeColumns'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: React.ReactNode }) => children }))

const row = (newest: Partial<VolumeRow['newest']>): VolumeRow =>
  ({
    id: 1,
    name: 'v',
    newest: { array_iops: null, array_internal_us: null, array_read_us: null, array_write_us: null, ...newest },
  }) as VolumeRow

function cells(newest: Partial<VolumeRow['newest']>): string[] {
  return arrayVolumeColumns(false)
    .filter(({ id }) => ['latency', 'read', 'write', 'iops'].includes(id))
    .map(({ cell }) => render(cell(row(newest))).container.textContent ?? '')
}

describe('a volume on the page of its array', () => {
  it('tells reads and writes apart', () => {
    const busy = { array_iops: 900, array_internal_us: 412, array_read_us: 380, array_write_us: 512 }
    expect(cells(busy)).toEqual(['0.41 ms', '0.38 ms', '0.51 ms', '900'])
  })

  it('has no latency where nothing was done, which is not the same as not measured', () => {
    expect(cells({ array_iops: 0 })).toEqual(['no I/O', 'no I/O', 'no I/O', '0'])
    expect(cells({})).toEqual(['not measured', 'not measured', 'not measured', 'not measured'])
  })

  it('claims nothing of a direction that has no time of its own', () => {
    expect(cells({ array_iops: 7, array_internal_us: 412, array_read_us: 412 })[2]).toBe('–')
  })

  it('names the pod only where the array has one', () => {
    const ids = (hasPods: boolean) => arrayVolumeColumns(hasPods).map(({ id }) => id)
    expect(ids(true).filter((id) => !ids(false).includes(id))).toEqual(['pod'])
  })
})

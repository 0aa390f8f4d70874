import { render } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { VolumeRow } from '../../api/types'
import { DESK_SCREENS, overhang, shownOn } from '../../testing/tableWidth'
import { arrayVolumeColumns } from './arrayVolumeColumns'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: React.ReactNode }) => children }))

const row = (newest: Partial<VolumeRow['newest']>): VolumeRow =>
  ({
    id: 1,
    name: 'v',
    parts: { service_us: null, queue_us: null, qos_us: null, mirrored_write_us: null },
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

  it('tells beside its writes what mirrored ones took, and whose I/Os those of a protocol endpoint are', () => {
    const write = arrayVolumeColumns(true).find(({ id }) => id === 'write')
    const stretched = { ...row({ array_iops: 7, array_internal_us: 412 }), stretched: true }
    stretched.parts = { ...stretched.parts, mirrored_write_us: 2090 }
    expect(render(write?.cell(stretched)).container.textContent).toBe('–mirrored 2.09 ms')
    const endpoint = { ...row({ array_iops: 0 }), is_protocol_endpoint: true }
    const told = arrayVolumeColumns(true)
      .filter(({ id }) => ['latency', 'iops'].includes(id))
      .map(({ cell }) => render(cell(endpoint)).container.textContent)
    expect(told).toEqual(['on its vVols', '0on its vVols'])
  })

  it('shows what its time consists of where there is room', () => {
    const parts = arrayVolumeColumns(true).filter(({ id }) => ['service_us', 'queue_us', 'qos_us'].includes(id))
    const { standing } = shownOn(arrayVolumeColumns(true), 1600)
    expect(parts.filter(({ id }) => !standing.includes(id))).toEqual([])
    const busy = row({ array_iops: 7, array_internal_us: 412 })
    busy.parts = { service_us: 380, queue_us: 32, qos_us: 0, mirrored_write_us: null }
    const told = parts.map(({ cell }) => render(cell(busy)).container.textContent)
    expect(told).toEqual(['0.38 ms', '32 µs', '0 µs'])
  })

  it.each(DESK_SCREENS)('needs no second line on a screen of %i px', (screen_px) => {
    expect(shownOn(arrayVolumeColumns(true), screen_px).folded).toEqual([])
    expect(overhang(arrayVolumeColumns(true), screen_px)).toBe(0)
  })

  it('names the pod only where the array has one', () => {
    const ids = (hasPods: boolean) => arrayVolumeColumns(hasPods).map(({ id }) => id)
    expect(ids(true).filter((id) => !ids(false).includes(id))).toEqual(['pod'])
  })
})

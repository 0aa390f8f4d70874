import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { VolumeRow } from '../../api/types'
import { DESK_SCREENS, overhang, shownOn } from '../../testing/tableWidth'
import { besideColumns } from './VolumesTable'
import { volumeColumns } from './volumeColumns'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: React.ReactNode }) => children }))

it.each(DESK_SCREENS)('the list needs no second line on a screen of %i px, and its age is in sight', (screen_px) => {
  for (const columns of [volumeColumns(1), besideColumns(1)]) {
    expect(shownOn(columns, screen_px).folded).toEqual([])
    expect(overhang(columns, screen_px)).toBe(0)
    expect(shownOn(columns, screen_px).standing.at(-1)).toBe('age')
  }
})

const VOLUME = {
  stretched: false,
  is_protocol_endpoint: false,
  parts: { service_us: null, queue_us: null, qos_us: null, mirrored_write_us: null },
  newest: { host_iops: 3626, array_iops: 3075, array_internal_us: 1520 },
} as VolumeRow
const told = (volume: VolumeRow) =>
  volumeColumns(1)
    .filter(({ id }) => ['array', 'array-iops', 'host-iops'].includes(id))
    .map(({ cell }) => render(cell(volume)).container.textContent)

it('a stretched volume says that its hosts count what they do to both arrays, and what its mirrored writes take', () => {
  const parts = { ...VOLUME.parts, mirrored_write_us: 2090 }
  expect(told({ ...VOLUME, stretched: true, parts })).toEqual([
    '1.52 msmirrored 2.09 ms',
    '3,075',
    '3,626to both arrays',
  ])
  expect(told(VOLUME)).toEqual(['1.52 ms', '3,075', '3,626'])
})

it('on a phone two volumes of one name are told apart by their arrays', () => {
  expect(shownOn(volumeColumns(1), 390).folded).toContain('array-name')
})

it('a protocol endpoint is not idle: what goes through it is counted on its vVols', () => {
  const newest = { ...VOLUME.newest, array_iops: 0, array_internal_us: null }
  expect(told({ ...VOLUME, is_protocol_endpoint: true, newest })).toEqual(['on its vVols', '0on its vVols', '3,626'])
})

it('on the page of a datastore the parts of the array’s time stand behind it', () => {
  const ids = besideColumns(1).map(({ id }) => id)
  expect(ids.slice(ids.indexOf('array'), ids.indexOf('array') + 4)).toEqual([
    'array',
    'service_us',
    'queue_us',
    'qos_us',
  ])
  expect(ids).not.toContain('datastores')
})

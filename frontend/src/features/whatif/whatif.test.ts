import { expect, it } from 'vitest'
import { trialSearch } from '../../domain/whatif/address'
import { partBars } from './bars'
import { bodyOf, parseObject } from './scenario'

const part = (
  name: 'kernel_queue' | 'san' | 'array',
  before_us: number | null,
  lower_us: number,
  upper_us: number | null,
) => ({
  name,
  label: name,
  before_us,
  lower_us,
  upper_us,
})

it('puts each part where the one before it ends, before and after apart', () => {
  const { axis_us, rows } = partBars([
    part('kernel_queue', 400, 0, 400),
    part('san', 100, 100, 100),
    part('array', 300, 300, 500),
  ])
  expect(axis_us).toBe(800)
  expect(rows[1]?.before?.start).toBeCloseTo((100 * 400) / 800)
  expect(rows[1]?.after.start).toBe(0)
  expect(rows[2]?.after).toEqual({
    start: expect.closeTo(100 / 8),
    sure: expect.closeTo(400 / 8),
    end: expect.closeTo(600 / 8),
  })
})

it('draws no bar for what was not measured, and one to the end of the axis where there is no bound', () => {
  const { rows } = partBars([part('san', null, 100, null), part('array', 300, 300, 300)])
  expect(rows[0]?.before).toBeNull()
  expect(rows[0]?.after.end).toBe(100)
})

it('takes an object from the address as its kind and number', () => {
  expect(parseObject('vm-17')).toEqual({ kind: 'vm', id: 17 })
  expect([parseObject('vm-0'), parseObject('array-3'), parseObject('vm17')]).toEqual([null, null, null])
})

it('sends a published case with the settings that the address changes', () => {
  const example = {
    id: 'case',
    title: '',
    text: '',
    seen: '',
    source: '',
    load: { iops: 1 },
    settings: {},
    scenario: {},
  }
  expect(bodyOf({ case: 'case', try: 'depth:96,lift:1,nonsense' }, example)).toEqual({
    typed: { load: { iops: 1 }, settings: {} },
    scenario: { device_depth: 96, lifts_iops_limit: true },
  })
  expect(bodyOf({ try: 'depth:96' }, undefined)).toBeNull()
})

it('reads from an address what a finding wrote into it', () => {
  const range = { from: '2026-11-24T09:55:00.000Z', to: '2026-11-24T10:05:00.000Z' }
  const search = trialSearch({ kind: 'vm', id: 17 }, { lifts_iops_limit: 1, virtual_disk_queue: 64 }, range)
  expect(bodyOf(search, undefined)).toEqual({
    subject: { kind: 'vm', id: 17, from_at: range.from, to_at: range.to },
    scenario: { virtual_disk_queue: 64, lifts_iops_limit: true },
  })
})

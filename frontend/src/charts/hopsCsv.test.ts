import { expect, it } from 'vitest'
import { hopsCsv } from './hopsCsv'

const load = { iops: 5800, us: 1790, precision_us: null, ios: 9.8, depth: 32 }
const way = {
  hops: [
    { label: 'Host queue', nodes: [{ id: 'q1', name: 'esx-01', detail: ['naa.1', 'VMFS'], state: null, load }] },
    {
      label: 'Location',
      nodes: [{ id: 'p1', name: 'vmhba1', detail: [], state: 'dead', load: { ...load, iops: null, us: null } }],
    },
  ],
  links: [
    {
      from_id: 'q1',
      to_id: 'p1',
      name: 'kernel',
      label: 'Kernel',
      layers: ['kernel'] as const,
      us: 120,
      lower_us: 0,
      upper_us: 520,
      is_merged: true,
    },
  ],
}

it('the way of I/Os leaves as a spreadsheet: each hop with its load, each link with its bounds', () => {
  const { header, rows } = hopsCsv(way)
  const at = (row: number, column: string) => rows[row]?.[header.indexOf(column)]
  expect(rows.map((row) => row.length)).toEqual([header.length, header.length, header.length])
  expect(['name', 'detail', 'iops', 'ios_in_flight', 'depth'].map((column) => at(0, column))).toEqual([
    'esx-01',
    'naa.1 · VMFS',
    5800,
    9.8,
    32,
  ])
  expect(['state', 'iops', 'us'].map((column) => at(1, column))).toEqual(['dead', null, null])
  expect(['row', 'name', 'to', 'us', 'lower_us', 'upper_us'].map((column) => at(2, column))).toEqual([
    'latency between hops',
    'esx-01',
    'vmhba1',
    120,
    0,
    520,
  ])
  expect(at(2, 'detail')).toContain('upper bound')
})

it('a time that another link tells is no number in a spreadsheet, and says why', () => {
  const links = way.links.map((link) => ({ ...link, us: null, lower_us: null, upper_us: null }))
  const { header, rows } = hopsCsv({ hops: [], links })
  const at = (column: string) => rows[0]?.[header.indexOf(column)]
  expect([at('us'), at('detail')]).toEqual([null, 'not separable from the kernel time at the host queue'])
})

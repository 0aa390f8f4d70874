import { expect, it } from 'vitest'
import { layerLook } from './segments'
import { bandLine, totalLine } from './stack'

const of = { panel: 'read', direction: 'read', unit: 'µs', values: [1, null] } as const

it('a band looks as its layers do everywhere, and stands in the row of its key', () => {
  const band = bandLine({ ...of, key: 'san', label: 'SAN' }, layerLook(['san']))
  expect(band).toMatchObject({ id: 'read.san', row: 'san', legend: 'SAN', shape: 'band', ...layerLook(['san']) })
  expect(band.values).toEqual([1, null])
})

it('the total is a line over the bands, in a row of its own where panels have other units', () => {
  const total = totalLine({ ...of, row: 'read.total' })
  expect(total).toMatchObject({ id: 'read.total', key: 'total', row: 'read.total', shape: 'line' })
  expect(total.color).toEqual({ ink: 'total' })
})

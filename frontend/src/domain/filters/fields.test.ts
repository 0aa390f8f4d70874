import { expect, it } from 'vitest'
import { FIELDS } from './fields'
import { FILTER_PARAMETERS, FILTERS, filtersOf } from './filterValues'

it('an address is read as filters, and what cannot be read is none', () => {
  expect(filtersOf({})).toEqual({})
  expect(
    filtersOf({ q: 'sql', severity: 'high', owner: 'ada', label: 'tier=gold', source: '3', sort: 'name' }),
  ).toEqual({
    search: 'sql',
    severity: 'high',
    owner: 'ada',
    label: ['tier=gold'],
    source: 3,
  })
  expect(filtersOf({ severity: 'terrible', layer: 'cake', source: 'x' })).toEqual({})
})

it('every filter is declared once', () => {
  const names = FILTER_PARAMETERS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(FIELDS.map(({ name }) => name).toSorted()).toEqual(Object.keys(FILTERS).toSorted())
  for (const [name, parameter] of Object.entries(FILTERS)) expect(parameter.name).toBe(name)
})

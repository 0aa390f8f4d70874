import { expect, it } from 'vitest'
import { WORST_SEVERITY_FIRST } from '../../domain/parameters'
import { rankingOf, unfiltered } from './ranking'

it('reads an address that says nothing, or nonsense, as those that lose most', () => {
  const plain = {
    kind: 'datastores',
    filters: {},
    sort: '-excess_outstanding',
    window: null,
  }
  expect(rankingOf({}, null)).toEqual(plain)
  expect(rankingOf({ kind: 'cats', layer: 'x', severity: 'z' }, null)).toEqual(plain)
})

it('asks the same of the environment as of a ranking that is not filtered, and else leaves the filters out', () => {
  const plain = rankingOf({ kind: 'vms' }, null)
  expect(unfiltered(plain)).toEqual(plain)
  expect(unfiltered(rankingOf({ kind: 'vms', q: 'a', layer: 'san', sort: 'name' }, null))).toEqual(plain)
})

it('filters by severity', () => {
  expect(WORST_SEVERITY_FIRST.map((severity) => rankingOf({ severity }, null).filters.severity)).toEqual([
    'high',
    'elevated',
    'normal',
  ])
  expect(rankingOf({ severity: '' }, null).filters).toEqual({})
})

it('of a group asks for its VMs whatever else is filtered', () => {
  expect(rankingOf({ kind: 'vms' }, null, 'application=finance').filters).toEqual({ label: ['application=finance'] })
  expect(rankingOf({ label: 'tier=gold', owner: 'ada' }, null, 'application=finance').filters).toEqual({
    label: ['application=finance', 'tier=gold'],
    owner: 'ada',
  })
})

import { expect, it } from 'vitest'
import { rankingOf, unfiltered } from './ranking'

it('reads an address that says nothing, or nonsense, as those that lose most', () => {
  const plain = { kind: 'datastores', search: '', layer: null, certainty: null, sort: '-impact', window: null }
  expect(rankingOf({}, null)).toEqual(plain)
  expect(rankingOf({ kind: 'cats', layer: 'x', certainty: 'y' }, null)).toEqual(plain)
})

it('asks the same of the estate as of a ranking that is not filtered, and else leaves the filters out', () => {
  const plain = rankingOf({ kind: 'vms' }, null)
  expect(unfiltered(plain)).toEqual(plain)
  expect(unfiltered(rankingOf({ kind: 'vms', q: 'a', layer: 'san', sort: 'name' }, null))).toEqual(plain)
})

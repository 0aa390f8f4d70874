import { expect, it } from 'vitest'
import type { OverviewRow } from '../../api/types'
import { piecesOf } from './pieces'

const layer = (name: string, label: string, us: number) => ({ name, label, layers: [name], us })
const row = (given: Partial<OverviewRow>) =>
  ({
    layers: [layer('kernel', 'Kernel', 40), layer('san', 'SAN', 25), layer('array', 'Array', 300)],
    layer: 'kernel',
    other: 'san',
    ...given,
  }) as OverviewRow
const told = (given: Partial<OverviewRow>) => piecesOf(row(given)).map(({ label, size }) => [label, size])

it('layers that could not be told apart are one piece as large as both, and nothing of the whole is lost', () => {
  expect(told({ confidence: 'inconclusive' })).toEqual([
    ['Kernel or SAN', 65],
    ['Array', 300],
  ])
  expect(piecesOf(row({ confidence: 'inconclusive' }))[0]?.layers).toEqual(['kernel', 'san'])
})

it('everything else stays apart', () => {
  const apart = [
    ['Kernel', 40],
    ['SAN', 25],
    ['Array', 300],
  ]
  expect(told({ confidence: 'confirmed', other: null })).toEqual(apart)
  expect(told({ confidence: 'inconclusive', other: null })).toEqual(apart)
})

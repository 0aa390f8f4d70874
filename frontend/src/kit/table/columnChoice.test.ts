import { expect, it } from 'vitest'
import { chosenColumns, moved, offered, parseChoice, tableCsv } from './columnChoice'

const COLUMNS = [
  { id: 'name', header: 'VM' },
  { id: 'latency', header: 'Latency' },
  { id: 'disks', header: 'Disks' },
  { id: 'iops', header: 'IOPS' },
]
const ids = (columns: readonly { id: string }[]) => columns.map(({ id }) => id)

it('chosen columns stand in the order of the choice, behind whose they are', () => {
  expect(ids(chosenColumns(COLUMNS, ['disks', 'name', 'latency']))).toEqual(['name', 'disks', 'latency'])
})

it('a choice from a link with columns that no table has, or one of them twice, shows the others', () => {
  expect(ids(chosenColumns(COLUMNS, parseChoice('iops,,nothing,iops')))).toEqual(['name', 'iops'])
})

it('hidden columns are offered behind those that are shown; whose a row is cannot be hidden', () => {
  expect(ids(offered(COLUMNS, ['name', 'iops']))).toEqual(['iops', 'latency', 'disks'])
})

it('columns move by a place, and not beyond the ends', () => {
  expect(moved(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c'])
  expect(moved(['a', 'b', 'c'], 'c', 1)).toEqual(['a', 'b', 'c'])
  expect(moved(['a', 'b'], 'x', 1)).toEqual(['a', 'b'])
})

it('a saved table has raw numbers under headings with units, and an empty cell where nothing was measured', () => {
  const columns = [
    { header: 'VM', csv: ({ name }: { name: string; us: number | null }) => name },
    { header: 'Latency', csvHeader: 'Latency (µs)', csv: ({ us }: { us: number | null }) => us },
    { header: 'Drawn only' },
  ]
  expect(
    tableCsv(columns, [
      { name: 'a', us: 431.2 },
      { name: 'b', us: null },
    ]),
  ).toEqual({
    header: ['VM', 'Latency (µs)'],
    rows: [
      ['a', 431.2],
      ['b', null],
    ],
  })
})

import { expect, it } from 'vitest'
import { layer, part, readColumn } from '../testing/diagnoses'
import { countedWords, withCounted } from './counted'
import { waterfallRows } from './waterfall'
import { waterfallCsv } from './waterfallCsv'

const SCALE = { unit: 'ms', decimals: 2 } as const
const column = {
  ...readColumn,
  layers: [layer('san', 0), layer('array', 1550)],
  parts: [part('fabric', 'san', 0), part('array_port', 'san', 0), part('array_service', 'array', 1550)],
}
const counted = [{ direction: 'read', inside_us: 1600, port_us: 35 } as const]

it('what was fitted stands beside what the array counted, where both are written differently', () => {
  const words = countedWords(withCounted([column], counted))
  expect(words).toBe(
    'Array: 1.55 ms estimated, 1.60 ms reported by the array. Array port (SAN time): 0 µs estimated, 35 µs reported by the array.',
  )
})

it('nothing is said where both agree, where the array did not count, or of its other I/Os', () => {
  const told = (inside_us: number | null, port_us: number | null) =>
    countedWords(withCounted([column], [{ direction: 'read', inside_us, port_us }]))
  expect(told(1552, 1)).toBe('')
  expect(told(null, null)).toBe('')
  expect(countedWords(withCounted([column], [{ direction: 'write', inside_us: 9000, port_us: 9 }]))).toBe('')
  const partly = { ...column, layers: column.layers.map((one) => ({ ...one, ops_share: 0.5 })) }
  expect(countedWords(withCounted([partly], counted))).toBe('')
})

it('the numbers of the waterfall hold both', () => {
  const own = withCounted([column], counted)
  const rows = waterfallRows(own, SCALE)[0] ?? []
  expect(rows.find(({ key }) => key === 'array')?.counted).toBe('1.60 ms')
  const { header, rows: lines } = waterfallCsv(own)
  const at = header.indexOf('counted_by_array_us')
  expect(lines.find((line) => line[1] === 'array')?.[at]).toBe(1600)
  expect(lines.find((line) => String(line[1]).includes('array_port'))?.[at]).toBe(35)
})

it('what was fitted is written as in its row, which is rounded so that rows add up', () => {
  const layers = [layer('kernel', 2.6), layer('san', 150.3), layer('array', 194.4)]
  const total_us = layers.reduce((sum, { us }) => sum + us, 0)
  const own = withCounted(
    [{ ...readColumn, total_us, layers, parts: [] }],
    [{ direction: 'read', inside_us: 380, port_us: null }],
  )
  const written = waterfallRows(own, SCALE)[0]?.find(({ key }) => key === 'array')?.value
  expect(written).toBe('0.20 ms')
  expect(countedWords(own)).toBe('Array: 0.20 ms estimated, 0.38 ms reported by the array.')
})

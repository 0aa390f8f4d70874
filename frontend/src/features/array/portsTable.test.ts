import { expect, test } from 'vitest'
import { NOT_MEASURED } from '../../lib/units'
import { usedWords } from './PortsTable'

const port = (line_rate_bytes_per_s: number | null, received_bytes_per_s: number | null, transmitted: number | null) =>
  usedWords({ line_rate_bytes_per_s, received_bytes_per_s, transmitted_bytes_per_s: transmitted })

test('the used part of a line rate is that of the busier way', () => {
  expect(port(1000, 100, 420)).toBe('42 %')
  expect(port(1000, 900, 420)).toBe('90 %')
  expect(port(1000, 0, 0)).toBe('0 %')
})

test('the used part is unknown without a line rate or without traffic measured', () => {
  for (const one of [port(null, 1, 1), port(0, 1, 1), port(1000, null, 1), port(1000, 1, null)]) {
    expect(one).toBe(NOT_MEASURED)
  }
})

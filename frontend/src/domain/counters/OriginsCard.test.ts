import { expect, it } from 'vitest'
import { coverage } from './OriginsCard'

it('data coverage: never rounds a gap away', () => {
  expect(coverage([1, 1, 1])).toBe('100 %')
  expect(coverage([...Array(999).fill(1), null])).toBe('99 %')
  expect(coverage([...Array(999).fill(null), 1])).toBe('1 %')
  expect(coverage([])).toBe('0 %')
})

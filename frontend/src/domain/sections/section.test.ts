import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Width, widthsInRows } from './section'

it('sections: two that fit stand side by side, and one alone takes its row', () => {
  expect(widthsInRows([7, 5, 12, 5, 7])).toEqual([7, 5, 12, 5, 7])
  expect(widthsInRows([7, 12, 5])).toEqual([12, 12, 12])
  expect(widthsInRows([5, 5, 7])).toEqual([5, 7, 12])
})

it('sections: every row is full, in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<Width>(5, 7, 12)), (widths) => {
      const placed = widthsInRows(widths)
      let row = 0
      for (const [index, width] of placed.entries()) {
        expect(width).toBeGreaterThanOrEqual(widths[index] ?? 12)
        row += width
        expect(row).toBeLessThanOrEqual(12)
        row %= 12
      }
      expect([placed.length, row]).toEqual([widths.length, 0])
    }),
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { legendPlaces } from './framedPicture'

const MARK_AND_GAP = 72

it('every word of a picture’s legend has a place, none over another, in as many rows as it takes', () => {
  const widths = fc.array(fc.integer({ min: 10, max: 400 }), { maxLength: 20 })
  fc.assert(
    fc.property(widths, fc.integer({ min: 500, max: 3000 }), (words, room) => {
      const places = legendPlaces(words, room)
      expect(places).toHaveLength(words.length)
      for (const [index, { row, x }] of places.entries()) {
        expect(x + 44 + (words[index] ?? 0)).toBeLessThanOrEqual(room)
        const before = places[index - 1]
        if (before === undefined) expect([row, x]).toEqual([0, 0])
        else if (before.row === row) expect(x).toBe(before.x + (words[index - 1] ?? 0) + MARK_AND_GAP)
        else expect([row, x]).toEqual([before.row + 1, 0])
      }
    }),
  )
})

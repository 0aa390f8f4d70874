import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitting } from './fitting'

const ids = (columns: readonly { id: string }[]) => columns.map(({ id }) => id).join('')
const LIST = [
  { id: 'a', width: 100 },
  { id: 'b', width: 50, from: 1200 },
  { id: 'c', width: 60, from: 1600 },
  { id: 'd', width: 40, from: 1200 },
  { id: 'e', width: 70, from: 700 },
]

describe('columns of a table', () => {
  it('make way from the widest screens’ own down, the rightmost first', () => {
    expect([320, 319, 259, 219].map((room) => ids(fitting(LIST, room)))).toEqual(['abcde', 'abde', 'abe', 'ae'])
  })

  it('that every screen shows stay however narrow it is', () => {
    expect(ids(fitting(LIST, 10))).toBe('ae')
  })

  it('are all there where there is room for all', () => {
    expect(ids(fitting(LIST, null))).toBe('abcde')
  })

  it('fit, or only those that every screen shows are left; none goes without need', () => {
    const column = fc.record({
      id: fc.string(),
      width: fc.integer({ min: 1, max: 300 }),
      from: fc.constantFrom(undefined, 700, 1200, 1600, 1900),
    })
    fc.assert(
      fc.property(fc.array(column), fc.integer({ min: 0, max: 2000 }), (columns, room) => {
        const left = fitting(columns, room)
        const sum = left.reduce((all, { width }) => all + width, 0)
        expect(sum <= room || left.every(({ from = 0 }) => from < 1200)).toBe(true)
        const gone = columns.filter((one) => !left.includes(one))
        const last = gone.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0))[0]
        if (last !== undefined)
          expect(
            sum + Math.max(...gone.filter(({ from }) => from === last.from).map(({ width }) => width)),
          ).toBeGreaterThan(room)
      }),
    )
  })
})

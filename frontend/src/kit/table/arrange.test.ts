import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrange, widthIn } from './arrange'
import type { Priority } from './Column'

const ids = (columns: readonly { id: string }[]) => columns.map(({ id }) => id).join('')
const LIST = [
  { id: 'n', width: 180, minWidth: 120, priority: 1 as const },
  { id: 'a', width: 100 },
  { id: 'b', width: 100, priority: 3 as const },
  { id: 'c', width: 100, minWidth: 80, priority: 2 as const },
  { id: 'd', width: 60, priority: 4 as const },
  { id: 'z', width: 70, priority: 1 as const },
]
const arranged = (room_px: number, isChosen = false) => {
  const { standing, folded } = arrange(LIST, room_px, isChosen)
  return `${ids(standing)}/${ids(folded)}`
}

describe('columns of a table', () => {
  it('are all there where there is room, and the optional ones make way first', () => {
    expect([610, 609, 549, 449].map((room_px) => arranged(room_px))).toEqual(['nabcdz/', 'nabcz/', 'nacz/', 'nacz/'])
  })

  it('get narrower before they fold, and a narrow table then keeps none but those of the first priority', () => {
    expect([370, 369].map((room_px) => arranged(room_px))).toEqual(['nacz/', 'nz/ac'])
  })

  it('of a wide table fold from the right, as few as have to', () => {
    const wide = LIST.map((column) => ({ ...column, width: 300, minWidth: 250 }))
    const { standing, folded } = arrange(wide, 800)
    expect([ids(standing), ids(folded)]).toEqual(['naz', 'c'])
  })

  it('of the first priority stay however narrow it is', () => {
    expect(arranged(10)).toBe('nz/ac')
  })

  it('that somebody chose are all shown: folded in a narrow table, scrolled to in a wide one', () => {
    expect(arranged(358, true)).toBe('nz/abcd')
    expect(arranged(640, true)).toBe('nabcdz/')
  })

  it('are as wide as they like where there is room, and as narrow as they can be where one folds', () => {
    const width = (room_px: number) => {
      const arrangement = arrange(LIST, room_px)
      return arrangement.standing.map(widthIn(arrangement, room_px))
    }
    expect(width(450)).toEqual([180, 100, 100, 70])
    expect(width(449)).toEqual([120, 100, 80, 70])
  })

  it('with a roomy width take what the others leave, from the left, and nothing where one is narrower than it likes', () => {
    const roomy = LIST.map((column) => ('ab'.includes(column.id) ? { ...column, roomyWidth: 140 } : column))
    const width = (room_px: number) => widthIn({ standing: roomy, folded: [] }, room_px)
    const widths = (room_px: number) => roomy.slice(1, 3).map(width(room_px))
    expect([610, 640, 670, 2000].map(widths)).toEqual([
      [100, 100],
      [130, 100],
      [140, 120],
      [140, 140],
    ])
    expect(width(609)(roomy[3] as (typeof roomy)[number])).toBe(80)
  })
})

const columns = fc.array(
  fc.record({
    id: fc.uuid(),
    width: fc.integer({ min: 100, max: 300 }),
    minWidth: fc.integer({ min: 40, max: 100 }),
    priority: fc.constantFrom<Priority>(1, 2, 3, 4, 5),
  }),
)

it('no column is in two places or out of order, none of the first two priorities is lost, and what can be narrowed fits', () => {
  fc.assert(
    fc.property(columns, fc.integer({ min: 0, max: 2500 }), fc.boolean(), (all, room_px, isChosen) => {
      const arrangement = arrange(all, room_px, isChosen)
      const { standing, folded } = arrangement
      const shown = all.filter((column) => standing.includes(column) || folded.includes(column))
      expect(shown.length).toBe(standing.length + folded.length)
      expect(standing).toEqual(all.filter((column) => standing.includes(column)))
      expect(folded).toEqual(all.filter((column) => folded.includes(column)))
      if (isChosen) expect(shown).toEqual(all)
      expect(shown).toEqual(expect.arrayContaining(all.filter(({ priority }, index) => index === 0 || priority <= 2)))
      const px = widthIn(arrangement, room_px)
      const needed_px = standing.reduce((sum, column) => sum + px(column), 0)
      const onlyFirst = standing.every((column, index) => index === 0 || column.priority === 1)
      expect(needed_px <= room_px || onlyFirst || (isChosen && room_px >= 640)).toBe(true)
    }),
  )
})

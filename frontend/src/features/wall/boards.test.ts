import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupBoard } from '../../domain/object/group'
import { wallAddress } from '../../lib/wallScreen'
import { parseBoard, parseBoards, turnAt, turnSeconds, wallSize } from './boards'

describe('boards', () => {
  it('are the environment, the worst of a kind, or one thing', () => {
    expect(parseBoard('environment')).toMatchObject({ show: 'worst', of: 'datastores' })
    expect(parseBoard('vms')).toMatchObject({ show: 'worst', of: 'vms' })
    expect(parseBoard('arrays-3')).toMatchObject({ show: 'one', of: 'arrays', id: 3 })
    for (const none of ['', 'kitchen', 'arrays-', 'arrays-0', 'arrays-x', 'arrays-1-2', 'rotate'])
      expect(parseBoard(none), none).toBeNull()
  })

  it('are the VMs of a group, whose value may have whatever an address and a list mean something by', () => {
    const group = { label: 'application', value: 'R&D, 50 % / "new"' }
    const name = groupBoard(group)
    expect(parseBoard(name)).toEqual({ name, show: 'group', group })
    expect(parseBoards(`environment,${name}`).boards.map((board) => board.show)).toEqual(['worst', 'group'])
    for (const none of ['group:', 'group:application', 'group:=finance', 'group:a%3D', 'group:%', 'group'])
      expect(parseBoard(none), none).toBeNull()
  })

  it('of a list keep their order; what is none is told', () => {
    const { boards, unknown } = parseBoards(' environment, arrays-1,kitchen,,vms ')
    expect(boards.map(({ name }) => name)).toEqual(['environment', 'arrays-1', 'vms'])
    expect(unknown).toEqual(['kitchen'])
  })
})

describe('turns', () => {
  it('are told by the clock, one after the other', () => {
    const turns = [0, 29_999, 30_000, 60_000, 90_000].map((now_ms) => turnAt(now_ms, 3, 30))
    expect(turns).toEqual([0, 0, 1, 2, 0])
    expect(turnAt(12_345, 0, 30)).toBe(0)
  })

  it('last what was asked for, within reason', () => {
    expect(['', '45', '0', '-3', '1e9', 'soon'].map(turnSeconds)).toEqual([30, 45, 5, 5, 3600, 30])
  })
})

describe('the size of letters', () => {
  it('is 43 px of 1080 on 55 inches at 4 m, as without any wish', () => {
    expect((wallSize({ screen_in: 55, distance_m: 4 }).font_vh * 1080) / 100).toBeCloseTo(43, 0)
    expect(wallSize({ screen_in: Number.NaN, distance_m: 4 })).toEqual({ font_vh: 4, rows: 6 })
    expect(wallSize({ screen_in: 55, distance_m: 4 }).rows).toBe(6)
  })

  it('grows with the distance and shrinks with the screen, and rows make room', () => {
    const size = fc.record({
      screen_in: fc.double({ min: 1, max: 500, noNaN: true }),
      distance_m: fc.double({ min: 0.1, max: 100, noNaN: true }),
    })
    fc.assert(
      fc.property(size, fc.double({ min: 1, max: 5, noNaN: true }), (one, factor) => {
        const [near, far] = [wallSize(one), wallSize({ ...one, distance_m: one.distance_m * factor })]
        expect(far.font_vh).toBeGreaterThanOrEqual(near.font_vh)
        expect(far.rows).toBeLessThanOrEqual(near.rows)
        // All rows and what stands around them fit the height.
        expect((9.6 + 2.55 * near.rows) * near.font_vh).toBeLessThanOrEqual(100)
      }),
    )
  })
})

it('the size that an address of a wall says is what the wall reads', () => {
  const made = new URL(wallAddress('https://gavel.example', 'gvl_w', { screen_in: '65', distance_m: '6' }) ?? '')
  const read = Object.fromEntries(made.searchParams)
  const size = wallSize({ screen_in: Number(read.screen_in), distance_m: Number(read.distance_m) })
  expect(size).toEqual(wallSize({ screen_in: 65, distance_m: 6 }))
  expect(size).not.toEqual(wallSize({ screen_in: 55, distance_m: 4 }))
  expect(parseBoards(made.pathname.split('/').at(-1) ?? '').unknown).toEqual([])
})

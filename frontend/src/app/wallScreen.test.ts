import { expect, it } from 'vitest'
import { parseBoards, wallSize } from '../features/wall/boards'
import { wallAddress } from './wallScreen'

const address = (screen_in: string, distance_m: string) =>
  wallAddress('https://gavel.example', 'gvl_w', { screen_in, distance_m })

it('an address of a wall says which screen it is for, where that was told', () => {
  expect(address('', '')).toBe('https://gavel.example/wall/estate#wall=gvl_w')
  expect(address('65', '5,5')).toBe('https://gavel.example/wall/estate?screen_in=65&distance_m=5.5#wall=gvl_w')
  expect(address('65', '')).toBe('https://gavel.example/wall/estate?screen_in=65&distance_m=4#wall=gvl_w')
  for (const none of ['0', '-3', 'large', 'Infinity']) expect(address(none, '4'), none).toBeNull()
})

it('what it says is what the wall reads', () => {
  const made = new URL(address('65', '6') ?? '')
  const read = Object.fromEntries(made.searchParams)
  const size = wallSize({ screen_in: Number(read.screen_in), distance_m: Number(read.distance_m) })
  expect(size).toEqual(wallSize({ screen_in: 65, distance_m: 6 }))
  expect(size).not.toEqual(wallSize({ screen_in: 55, distance_m: 4 }))
  expect(parseBoards(made.pathname.split('/').at(-1) ?? '').unknown).toEqual([])
})

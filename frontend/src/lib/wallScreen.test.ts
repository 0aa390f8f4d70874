import { expect, it } from 'vitest'
import { wallAddress } from './wallScreen'

const address = (screen_in: string, distance_m: string) =>
  wallAddress('https://gavel.example', 'gvl_w', { screen_in, distance_m })

it('an address of a wall says which screen it is for, where that was told', () => {
  expect(address('', '')).toBe('https://gavel.example/wall/environment#wall=gvl_w')
  expect(address('65', '5,5')).toBe('https://gavel.example/wall/environment?screen_in=65&distance_m=5.5#wall=gvl_w')
  expect(address('65', '')).toBe('https://gavel.example/wall/environment?screen_in=65&distance_m=4#wall=gvl_w')
  for (const none of ['0', '-3', 'large', 'Infinity']) expect(address(none, '4'), none).toBeNull()
})

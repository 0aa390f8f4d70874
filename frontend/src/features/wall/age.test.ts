import { expect, it } from 'vitest'
import { ageState, reloadDelayMs } from './age'

it('numbers of a wall are dashed after two missed minutes and blank after four', () => {
  expect([0, 95_000, 239_000].map(ageState)).toEqual(['fresh', 'fresh', 'fresh'])
  expect([240_000, 359_000].map(ageState)).toEqual(['dashed', 'dashed'])
  expect([360_000, 9e9, null].map(ageState)).toEqual(['blank', 'blank', 'blank'])
})

it('a wall loads itself again about once a day', () => {
  const hours = [0, 0.5, 0.999].map((random) => reloadDelayMs(random) / 3_600_000)
  expect(hours[0]).toBe(23.5)
  expect(hours[1]).toBe(24)
  expect(hours[2]).toBeLessThan(24.5)
})

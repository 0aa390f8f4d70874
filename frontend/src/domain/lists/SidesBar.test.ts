import { describe, expect, it } from 'vitest'
import { hostParts } from './SidesBar'

describe('the bar of the hosts', () => {
  const sides = (gavg: number | null, davg: number | null, kavg: number | null, precision: number) =>
    ({ host_gavg_us: gavg, host_davg_us: davg, host_kavg_us: kavg, host_precision_us: precision }) as never
  const drawn = (...numbers: Parameters<typeof sides>) =>
    hostParts(sides(...numbers)).map(({ us, isBelowStep }) => [us, isBelowStep === true])

  it('is hatched where a ms counter says zero, as far as it may stand for, never empty', () => {
    expect(drawn(0, 0, 0, 1000).at(-1)).toEqual([1000, true])
    expect(drawn(84, 80, 2, 1000).at(-1)).toEqual([1084, true])
  })

  it('is solid only as far as whole milliseconds are confirmed, and hatched up to all that they may stand for', () => {
    expect(drawn(8000, 2000, 6000, 1000)).toEqual([
      [1500, false],
      [5500, false],
      [2000, true],
    ])
    expect(drawn(1000, null, null, 1000)).toEqual([
      [500, false],
      [1500, true],
    ])
  })

  it('is solid where the counters are fine enough', () => {
    expect(drawn(320, 310, 6, 1)).toEqual([
      [310, false],
      [6, false],
    ])
    expect(drawn(0, 0, 0, 1)).toEqual([
      [0, false],
      [0, false],
    ])
  })

  it('stays empty where nothing was measured', () => {
    expect(drawn(null, null, null, 1000)).toEqual([[null, false]])
  })
})

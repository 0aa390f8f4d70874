import { expect, it } from 'vitest'
import { ruleLimits } from './ruleLimits'

const condition = {
  quantity: 'latency',
  part: 'kernel',
  direction: 'all',
  at_least: 300,
  compared: 'lower',
} as const

it('the time of a layer that a rule fires at is a line over its bounds', () => {
  expect(ruleLimits([condition])).toEqual([
    { panel: 'bounds', layer: 'kernel', value: 300, label: 'Alert: Kernel ≥ 0.30 ms (lower bound)' },
  ])
})

it('the latency of one direction is a line over its stack', () => {
  const [limit] = ruleLimits([{ ...condition, part: null, direction: 'write' }])
  expect(limit).toMatchObject({ panel: 'write', value: 300 })
})

it('what is no time of a panel has no line', () => {
  const none = [
    { ...condition, quantity: 'share', at_least: 0.2 },
    { ...condition, quantity: 'baseline_ratio', at_least: 2 },
    { ...condition, part: 'array_qos' },
    { ...condition, direction: 'read' },
    { ...condition, part: null },
  ] as const
  expect(ruleLimits(none)).toEqual([])
})

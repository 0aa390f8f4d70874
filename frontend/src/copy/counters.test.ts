import { expect, it } from 'vitest'
import { dragToZoom } from './charts'
import { fromRollups, perPoint } from './counters'

it('says the step of a chart, then what its points come from, then how to zoom', () => {
  expect(perPoint('5 min', fromRollups('5m'), dragToZoom)).toBe('one point per 5 min, from 5m roll-ups · drag to zoom')
})

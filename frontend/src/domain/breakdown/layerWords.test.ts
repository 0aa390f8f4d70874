import { expect, it } from 'vitest'
import { layersWords, worthTelling } from './layerWords'

const layer = (label: string, measured_us: number, ops_share = 1) => ({ label, measured_us, ops_share })

it('words of a bar leave out what is under a hundredth of the whole', () => {
  const layers = [layer('Kernel', 440), layer('Kernel + SAN', 160, 0.02), layer('Array', 400)]
  expect(layersWords(layers)).toBe('Kernel 0.44 ms, Array 0.40 ms')
})

it('what takes part in few I/Os, but in a hundredth of all time, is told with its share', () => {
  expect(layersWords([layer('SAN', 900, 0.2), layer('Array', 400)])).toBe('SAN 0.90 ms in 20 % of I/Os, Array 0.40 ms')
})

it('nothing of nothing is left out', () => {
  expect(worthTelling([0, 0], (size) => size)).toEqual([0, 0])
  expect(worthTelling([1, 99], (size) => size)).toEqual([1, 99])
})

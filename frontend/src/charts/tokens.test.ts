import { expect, it } from 'vitest'
import { chartTokens } from './tokens'
import { contrast, paint, readableOn } from './treemap'

it('colors that the build has shortened are mixed and read as those that it has not', () => {
  const short = chartTokens((name) => (name === '--gv-array-service' ? '#14a' : '#fff'))
  const long = chartTokens((name) => (name === '--gv-array-service' ? '#1144aa' : '#ffffff'))
  expect(short).toEqual(long)
  const { fill } = paint({ layers: ['array'], look: 'confirmed', strength: 'little' }, short)
  expect(fill).toBe('#88a2d5')
  expect(contrast(fill, readableOn(fill))).toBeGreaterThanOrEqual(4.5)
})

it('what is no short color stays as it is', () => {
  for (const color of ['#0b0f17', 'rgb(1 2 3)', '']) expect(chartTokens(() => color).ink.card).toBe(color)
})

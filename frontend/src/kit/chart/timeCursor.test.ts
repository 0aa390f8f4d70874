import { describe, expect, it } from 'vitest'
import { besidePointer, bucketAt } from './timeCursor'

const cursor = { times_ms: [0, 60_000, 120_000], step_s: 60, read: () => null }

describe('the bucket under the cursor', () => {
  it.each([
    [0, 0],
    [59_999, 0],
    [60_000, 1],
    [179_999, 2],
  ])('at %i ms is number %i', (at_ms, index) => {
    expect(bucketAt(cursor, at_ms)).toBe(index)
  })

  it.each([-1, 180_000, Number.NaN])('is none at %d ms, outside of all', (at_ms) => {
    expect(bucketAt(cursor, at_ms)).toBeNull()
  })

  it('is none where times leave a hole, or where there are no times', () => {
    expect(bucketAt({ ...cursor, times_ms: [0, 120_000] }, 70_000)).toBeNull()
    expect(bucketAt({ ...cursor, times_ms: [] }, 0)).toBeNull()
  })
})

it('what the cursor says stands on the side that has more room', () => {
  expect(besidePointer({ x: 100, y: 50 }, 1000, 400)).toContain('clamp(0px, 124px,')
  expect(besidePointer({ x: 900, y: 50 }, 1000, 400)).toContain('clamp(0px, calc(876px - 100%),')
})

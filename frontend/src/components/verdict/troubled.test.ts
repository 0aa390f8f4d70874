import { expect, it } from 'vitest'
import { meanWords, troubledOf, troubledWords } from './troubled'

it('whoever is over usual loses time, known layer or not; all of the kind are counted beside them', () => {
  const totals = {
    by_certainty: { certain: 2, undetermined: 1, healthy: 9 },
    by_state: { judged: 12, idle: 1, no_data: 1 },
  }
  expect(troubledOf(totals)).toBe(3)
  expect(troubledWords(totals, 'datastores')).toBe('3 of 14 datastores lose time')
  expect(troubledWords({ by_certainty: { likely: 1 }, by_state: { judged: 1 } }, 'arrays')).toBe(
    '1 of 1 array loses time',
  )
  expect(troubledWords({ by_certainty: { healthy: 4 }, by_state: { judged: 4 } }, 'vms')).toBe('No VM loses time')
})

it('a mean that is as usual is not called healthy beside those that lose time', () => {
  expect(meanWords({ sentence: 'Healthy: 0.74 ms per I/O' })).toBe('Over all I/Os: 0.74 ms per I/O')
  expect(meanWords({ sentence: 'Kernel: 0.44 of 0.93 ms' })).toBe('Over all I/Os: Kernel: 0.44 of 0.93 ms')
})

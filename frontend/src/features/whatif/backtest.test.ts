import { expect, it } from 'vitest'
import { scoreText, verdictText } from './BacktestCard'

const OUTCOME = {
  latency_us: { before: 930, lower: 492, upper: 930 },
  after_us: 700,
  iops: { before: 65_000, lower: 65_000, upper: 122_870 },
  after_iops: 85_000,
  is_inside: true,
  is_direction_right: true,
}

it('the score of a backtest leaves out what was not counted', () => {
  const none = { changes: 0, inside: 0, bounded: 0, median_width: null, directed: 0, right: 0 }
  expect(scoreText(none)).toBe('No change with an outcome')
  expect(scoreText({ ...none, changes: 1 })).toBe('1 change with an outcome, 0 % inside the range')
  expect(scoreText({ changes: 12, inside: 11, bounded: 10, median_width: 1.4, directed: 10, right: 10 })).toBe(
    '12 changes with an outcome, 92 % inside the range, median width 1.4 × (10 bounded), direction right in 100 %',
  )
})

it('a tested change says whether the range held, or why it does not count', () => {
  expect(verdictText({ outcome: OUTCOME, reason: null })).toBe('Inside the range')
  expect(verdictText({ outcome: { ...OUTCOME, is_inside: false }, reason: null })).toBe('Outside the range')
  expect(verdictText({ outcome: OUTCOME, reason: 'another workload.' })).toBe('Not counted: another workload.')
  expect(verdictText({ outcome: null, reason: 'A move.' })).toBe('Not counted: A move.')
})

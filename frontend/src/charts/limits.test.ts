import { expect, it } from 'vitest'
import { brokenAtSpaces } from './limits'

const LABEL = 'QoS limit of reads and writes together: 12,000 IOPS'

it('a limit’s words take as many lines as they need, and are broken in no number', () => {
  expect(brokenAtSpaces(LABEL, 80)).toEqual([LABEL])
  expect(brokenAtSpaces(LABEL, 40)).toEqual(['QoS limit of reads and writes together:', '12,000 IOPS'])
  for (const most of [5, 12, 20, 39]) expect(brokenAtSpaces(LABEL, most).join(' ')).toBe(LABEL)
})

import { expect, test } from 'vitest'
import type { OverviewRow } from '../../api/types'
import { causeClause } from './causeClause'

const cause = (confidence: 'confirmed' | 'likely' | null, text: string) =>
  ({ confidence, text }) as NonNullable<OverviewRow['cause']>

test('a named cause has its own confidence; where there is no single one, nothing is said of it', () => {
  expect(causeClause(cause('confirmed', 'vdi-03 issues 98 % of the I/O'))).toBe(
    'Cause (confirmed): vdi-03 issues 98 % of the I/O',
  )
  expect(causeClause(cause('likely', 'load of the array'))).toBe('Cause (likely): load of the array')
  expect(causeClause(cause(null, 'No single cause'))).toBeNull()
  expect(causeClause(null)).toBeNull()
})

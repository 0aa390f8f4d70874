/** Nothing is usual before it was learned: how an expectation is called, by what it rests on. */

import type { Verdict } from '../../api/types'

type ExpectedFrom = Verdict['expected_from']

const NAMES: Record<NonNullable<ExpectedFrom>, string> = {
  history: 'usual for this hour',
  setting: 'expected (setting, no history yet)',
  both: 'expected (partly setting, too little history yet)',
}

export const expectedWords = (from: ExpectedFrom) => (from === null ? 'expected' : NAMES[from])

export const overWords = (from: ExpectedFrom) => (from === 'history' ? 'over usual' : 'over expected')

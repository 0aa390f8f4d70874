/** Nothing is usual before it was learned: how an expectation is called, by what it rests on. */

import type { Diagnosis } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'

type BaselineFrom = Diagnosis['baseline_from']

const NAMES: Record<NonNullable<BaselineFrom>, string> = {
  history: diagnosisCopy.baselineHistory,
  setting: diagnosisCopy.baselineSetting,
  both: diagnosisCopy.baselinePartly,
}

const SHORT: typeof NAMES = {
  history: diagnosisCopy.baselineHistory,
  setting: diagnosisCopy.baselineDefault,
  both: diagnosisCopy.baselinePartlyDefault,
}

export const baselineWords = (from: BaselineFrom) => (from === null ? diagnosisCopy.baseline : NAMES[from])

/** For a legend with little room. */
export const shortBaselineWords = (from: BaselineFrom) => (from === null ? diagnosisCopy.baseline : SHORT[from])

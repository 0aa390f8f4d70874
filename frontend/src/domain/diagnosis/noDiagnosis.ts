import type { JudgedState } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'

/** What a person can do where there is no diagnosis. */
export const NO_DIAGNOSIS: Record<Exclude<JudgedState, 'judged'>, string> = {
  too_few: diagnosisCopy.tooFewText,
  idle: diagnosisCopy.idleText,
  not_measured: diagnosisCopy.notMeasuredText,
  no_data: diagnosisCopy.noDataText,
}

/** The cause of an excess as a clause beside a sentence. Not beside what pages of objects say of causes: lists do without their code. */

import type { OverviewRow } from '../../api/types'
import * as causeCopy from '../../copy/cause'

const CONFIDENCE = { confirmed: causeCopy.confirmed, likely: causeCopy.likely } as const

/** "Cause (likely): …"; null where none is named. */
export function causeClause(cause: OverviewRow['cause']): string | null {
  return cause === null || cause.confidence === null
    ? null
    : `${causeCopy.lead(CONFIDENCE[cause.confidence])}${cause.text}`
}

/** How sure a cause is: its own confidence, not that of the layer. */

import type { Cause } from '../../api/types'
import * as causeCopy from '../../copy/cause'

type CauseConfidence = NonNullable<Cause['confidence']>

const WORDS: Record<CauseConfidence, { word: string; label: string; meaning: string }> = {
  confirmed: { word: causeCopy.confirmed, label: causeCopy.confirmedLabel, meaning: causeCopy.confirmedMeaning },
  likely: { word: causeCopy.likely, label: causeCopy.likelyLabel, meaning: causeCopy.likelyMeaning },
}

export const confidenceWord = (confidence: CauseConfidence) => WORDS[confidence].word
export const causeConfidence = (confidence: CauseConfidence) => WORDS[confidence]

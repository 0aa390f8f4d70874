/** How sure a diagnosis is of the layer that it names: a word without a color, beside the severity. */

import type { Confidence } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import type { Diagnosed } from './severity'

const LABELS: Record<Confidence, string> = {
  confirmed: diagnosisCopy.confirmed,
  likely: diagnosisCopy.likely,
  inconclusive: diagnosisCopy.inconclusive,
}

const MEANINGS: Record<Confidence, string> = {
  confirmed: diagnosisCopy.confirmedMeaning,
  likely: diagnosisCopy.likelyMeaning,
  inconclusive: diagnosisCopy.inconclusiveMeaning,
}

export const confidenceLabel = (confidence: Confidence) => LABELS[confidence]

/** The label and what it means; null where there is nothing to be sure of. */
export function confidenceText({ limited_counters, confidence }: Diagnosed): { label: string; meaning: string } | null {
  if (limited_counters) return { label: diagnosisCopy.limitedCounters, meaning: diagnosisCopy.limitedCountersMeaning }
  return confidence === null ? null : { label: LABELS[confidence], meaning: MEANINGS[confidence] }
}

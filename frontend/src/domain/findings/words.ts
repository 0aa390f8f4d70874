/** States and severities of findings as marks and words. */

import type { FindingRow } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import type { Tone } from '../../kit/mark/StateMark'
import { formatInstant, formatMoment, type Zone } from '../../lib/time'
import { SEVERITIES } from '../severity/severity'

export const STATE_WORDS: Record<FindingRow['state'], string> = {
  open: findingsCopy.open,
  accepted: findingsCopy.accepted,
  cleared: findingsCopy.cleared,
}

/** Its severity while it is open; what is accepted or over is calm, and says so. */
export function findingMark({ state, severity, cleared_at }: FindingRow, zone: Zone): { word: string; tone: Tone } {
  if (state === 'open') return SEVERITIES[severity]
  if (state === 'accepted' || cleared_at === null) return { word: STATE_WORDS[state], tone: 'calm' }
  return { word: findingsCopy.clearedAt(formatMoment(Date.parse(cleared_at), zone)), tone: 'calm' }
}

/** "Accepted by Ada until 1 Dec 2026, 12:00:00 UTC". */
export function acceptedWords(accepted: NonNullable<FindingRow['accepted']>, zone: Zone): string {
  return accepted.until === null
    ? findingsCopy.acceptedForGood(accepted.by)
    : findingsCopy.acceptedUntil(accepted.by, formatInstant(Date.parse(accepted.until), zone))
}

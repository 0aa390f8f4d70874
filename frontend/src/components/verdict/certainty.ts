/** How sure a verdict is, in a word and a tone; what could not be judged says why. */

import type { Certainty, JudgedState } from '../../api/types'
import type { Tone } from '../StateMark'

export interface Standing {
  state: JudgedState
  certainty: Certainty
  /** When the newest minutes stopped to name what is named; null or left out: they name it still. */
  until_at?: string | null
}

const CERTAINTIES: Record<Certainty, { word: string; tone: Tone }> = {
  certain: { word: 'Certain', tone: 'bad' },
  likely: { word: 'Likely', tone: 'warn' },
  undetermined: { word: 'Undetermined', tone: 'open' },
  healthy: { word: 'Healthy', tone: 'good' },
  unknown: { word: 'Not judged', tone: 'calm' },
}

const STATES: Record<Exclude<JudgedState, 'judged'>, string> = {
  too_few: 'Too few I/Os',
  idle: 'Idle',
  not_measured: 'Not measured',
  no_data: 'No data',
}

export function standingMark({ state, certainty, until_at = null }: Standing): { word: string; tone: Tone } {
  if (state !== 'judged') return { word: STATES[state], tone: 'calm' }
  return until_at === null ? CERTAINTIES[certainty] : { word: 'Ended', tone: 'calm' }
}

export const certaintyWord = (certainty: Certainty) => CERTAINTIES[certainty].word
export const stateWord = (state: Exclude<JudgedState, 'judged'>) => STATES[state]

/** What a person can do about a verdict that is not there. */
export const NO_VERDICT: Record<Exclude<JudgedState, 'judged'>, string> = {
  too_few: 'Under 30 I/Os per minute: too few to judge. Choose a longer or a busier window.',
  idle: 'No I/O in this window, so no latency either. Choose a window in which something happened.',
  not_measured: 'There was I/O, but no latency of it was measured. The page Sources says what is missing.',
  no_data:
    'No minute of this window is attributed yet. New sources need about two minutes; otherwise choose a later window.',
}

import type { SourceOut } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { StateMark, type Tone } from '../../kit/mark/StateMark'

const TONES: Record<SourceOut['state'], Tone> = {
  live: 'good',
  late: 'warn',
  failing: 'bad',
  waiting: 'calm',
  disabled: 'calm',
}
const WORDS: Record<SourceOut['state'], string> = {
  live: sourcesCopy.live,
  late: sourcesCopy.delayed,
  failing: sourcesCopy.failing,
  waiting: sourcesCopy.waiting,
  disabled: sourcesCopy.paused,
}

/** How a source is, as shape and word. */
export function SourceMark({ state }: { state: SourceOut['state'] }) {
  return <StateMark tone={TONES[state]} word={WORDS[state]} />
}

const WORST_FIRST: SourceOut['state'][] = ['failing', 'late', 'waiting', 'live', 'disabled']

/** In the order in which they need a look; of two in one state the one with warnings, else as they came. */
export function worstFirst<Source extends Pick<SourceOut, 'state' | 'warnings'>>(sources: readonly Source[]): Source[] {
  const rank = ({ state, warnings }: Source) => 2 * WORST_FIRST.indexOf(state) + (warnings.length > 0 ? 0 : 1)
  return [...sources].sort((a, b) => rank(a) - rank(b))
}

/** Until when anything of it was read, in ms; null before the first run. */
export function readUntil(source: Pick<SourceOut, 'streams'>): number | null {
  const untils = source.streams.flatMap(({ until_at }) => (until_at === null ? [] : [Date.parse(until_at)]))
  return untils.length === 0 ? null : Math.max(...untils)
}

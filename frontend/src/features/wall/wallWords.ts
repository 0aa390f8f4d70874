/** What a wall says of ages, alerts and sources. Pure. */

import type { AlertOut, Overview, SourceOut } from '../../api/types'
import type { JudgedKind } from '../../api/verdicts'
import { type Standing, standingMark } from '../../components/verdict/certainty'
import { troubledOf, troubledWords } from '../../components/verdict/troubled'
import { plural } from '../../lib/text'
import { formatAge, formatClock, instantMs, type Zone } from '../../lib/time'

/** "85 s old": of one tile; empty before there was a minute. */
export const oldWords = (age_ms: number | null): string => (age_ms === null ? '' : `${formatAge(age_ms)} old`)

/** "judged until 11:47, 85 s ago": what the age is of. */
export function judgedWords(until_at: string | null, age_ms: number | null, zone: Zone): string {
  const until_ms = instantMs(until_at)
  if (until_ms === null || age_ms === null) return 'nothing judged yet'
  return `judged until ${formatClock(until_ms, zone)}, ${formatAge(age_ms)} ago`
}

/** Of what a verdict is sure: from afar, and without one, the bare word in an alarm's colour is taken for how bad things are. */
export function causeMark(standing: Standing): ReturnType<typeof standingMark> {
  const { word, tone } = standingMark(standing)
  return { tone, word: tone === 'bad' || tone === 'warn' ? `Cause ${word.toLowerCase()}` : word }
}

/** "3 of 14 datastores lose time": what ended has a row of its own, and the line needs its room for the worst. */
export const losingWords = (totals: Overview['totals'], kind: JudgedKind): string =>
  troubledWords({ ...totals, by_certainty: { certain: troubledOf(totals) }, ended: 0 }, kind)

/** "1 alert fires", "No alert fires": how many, before any severity. */
export const firesWords = (firing: readonly AlertOut[]): string =>
  firing.length === 0
    ? 'No alert fires'
    : `${plural(firing.length, 'alert')} ${firing.length === 1 ? 'fires' : 'fire'}:`

/** End of the newest number of any of its streams; null before the first. */
export function newestOf({ streams }: Pick<SourceOut, 'streams'>): number | null {
  const ends = streams.flatMap(({ until_at }) => instantMs(until_at) ?? [])
  return ends.length === 0 ? null : Math.max(...ends)
}

type Known = Pick<SourceOut, 'state' | 'streams'>

/** "4 of 4 sources live, newest number 12 s old". */
export function sourcesWords(sources: readonly Known[], now_ms: number): string {
  const live = sources.filter(({ state }) => state === 'live').length
  const ends = sources.flatMap((source) => newestOf(source) ?? [])
  const age = ends.length === 0 ? '' : `, newest number ${formatAge(Math.max(0, now_ms - Math.max(...ends)))} old`
  return `${live} of ${plural(sources.length, 'source')} live${age}`
}

/** Why nothing is judged, and what to do about it: told once for a whole board. */
export function nothingJudged(sources: readonly Known[] | undefined): string {
  if (sources === undefined) return 'No minute of this window is attributed yet.'
  if (sources.length === 0) return 'No array or vCenter is polled yet: add one under Sources on any other page.'
  const live = sources.filter(({ state }) => state === 'live').length
  if (live === 0)
    return 'No source is live, so no minute can be attributed: Sources on any other page says what is wrong with each.'
  return 'No minute of this window is attributed yet. New sources need about two minutes, of an array and of its vCenter.'
}

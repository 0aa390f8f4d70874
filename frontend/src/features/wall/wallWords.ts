/** What a wall says of ages, alerts and sources. Pure. */

import type { EntityKind } from '../../api/queries'
import type { AlertOut, Overview, SourceOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as overviewCopy from '../../copy/overview'
import * as wallsCopy from '../../copy/walls'
import { troubledOf, troubledWords } from '../../domain/diagnosis/troubled'
import { plural } from '../../lib/text'
import { formatAgo, formatClock, instantMs, type Zone } from '../../lib/time'

/** "85 s old": of one tile; empty before there was a minute. */
export const oldWords = (age_ms: number | null): string => (age_ms === null ? '' : formatAgo(age_ms))

/** "Analyzed through 11:47, 85 s ago": what the age is of. */
export function judgedWords(until_at: string | null, age_ms: number | null, zone: Zone): string {
  const until_ms = instantMs(until_at)
  if (until_ms === null || age_ms === null) return diagnosisCopy.notAnalyzed
  return wallsCopy.analyzedThrough(formatClock(until_ms, zone), formatAgo(age_ms))
}

/** "3 of 14 datastores lose time": what ended has a row of its own, and the line needs its room for the worst. */
export const losingWords = (totals: Overview['totals'], kind: EntityKind): string =>
  troubledWords({ ...totals, by_severity: { elevated: troubledOf(totals) }, ended: 0 }, kind)

/** "1 alert fires", "No alert fires": how many, before any severity. */
export const firesWords = (firing: readonly AlertOut[]): string =>
  firing.length === 0 ? alertsCopy.noneActive : wallsCopy.firing(plural(firing.length, wallsCopy.alert))

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
  const age = ends.length === 0 ? '' : wallsCopy.lastSample(formatAgo(Math.max(0, now_ms - Math.max(...ends))))
  return wallsCopy.liveOf(live, plural(sources.length, wallsCopy.source), age)
}

/** Why nothing is judged, and what to do about it: told once for a whole board. */
export function nothingJudged(sources: readonly Known[] | undefined): string {
  if (sources === undefined) return overviewCopy.notAnalyzed
  if (sources.length === 0) return wallsCopy.noSources
  const live = sources.filter(({ state }) => state === 'live').length
  if (live === 0) return wallsCopy.noneLive
  return wallsCopy.notYet
}

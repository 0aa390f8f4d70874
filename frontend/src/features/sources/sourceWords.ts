/** What a source's numbers are called and say: clocks with whose they are, streams, runs. */

import type { ClockOut as Clock, RunOut, SourceOut, StreamOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import * as sourcesCopy from '../../copy/sources'
import { KIND } from '../../domain/kinds'
import { plural, streamName, visibleName } from '../../lib/text'
import { formatClock, formatOffset, formatSeconds, type Zone, zoneName } from '../../lib/time'
import { formatCount, formatFixed } from '../../lib/units'

/** Beyond it the server warns (admin/health.py); near it the page does. */
const CLOCK_LIMIT_S = 5
const NEAR_LIMIT_S = 4

/** How a clock stands to the limit; null: well within it. */
export function clockMark({ offset_s, error_s }: Pick<Clock, 'offset_s' | 'error_s'>): string | null {
  const size_s = Math.abs(offset_s)
  if (size_s - error_s > CLOCK_LIMIT_S) return sourcesCopy.skewAbove(CLOCK_LIMIT_S)
  return size_s >= NEAR_LIMIT_S ? sourcesCopy.skewNear(CLOCK_LIMIT_S) : null
}

/** "+1.77 s ± 3 ms (esx-01) to +4.36 s ± 5 ms (esx-03)": the hosts' own clocks, by which their samples are stamped. */
export function hostClocks(clocks: readonly Clock[]): { words: string; mark: string | null } | null {
  const hosts = clocks.filter(({ subject }) => subject !== null).sort((a, b) => a.offset_s - b.offset_s)
  const [first, last] = [hosts[0], hosts.at(-1)]
  if (first === undefined || last === undefined) return null
  const worst = Math.abs(first.offset_s) > Math.abs(last.offset_s) ? first : last
  const words = first === last ? clockOfHost(first) : sourcesCopy.skewRange(clockOfHost(first), clockOfHost(last))
  return { words, mark: clockMark(worst) }
}

const clockOfHost = ({ name, subject, offset_s, error_s }: Clock) =>
  `${formatOffset(offset_s, error_s)} (${visibleName(name ?? subject ?? '')})`

/** One decimal in every row, and never a zero for something. */
export const samplesPerSecond = (value: number) => (value > 0 && value < 0.05 ? '<0.1' : formatFixed(value, 1))

/** Beyond so many intervals it is late, as the server has it (admin/health.py). */
const LATE_INTERVALS = 3

export const isLate = ({ lag_s, interval_s }: StreamOut) => lag_s !== null && lag_s > LATE_INTERVALS * interval_s

/** A run that failed on the way to its samples brought no count of them. */
const hasFailed = ({ last_run_at, last_samples }: StreamOut) => last_run_at !== null && last_samples === null

/** What failed before it came to the streams leaves them with the runs that were good. */
const areRunsGood = ({ state, streams }: SourceOut) => state === 'failing' && !streams.some(hasFailed)

export const runHeading = (source: SourceOut) => (areRunsGood(source) ? sourcesCopy.lastGoodRun : sourcesCopy.lastRun)

/** What a source that stopped answering owes; null while anything of it is still read in time. */
export function owedWords({ state, streams }: SourceOut, zone: Zone): string | null {
  if (state !== 'failing' || !streams.every(isLate)) return null
  const [newest] = streams.toSorted((a, b) => (a.lag_s ?? 0) - (b.lag_s ?? 0))
  if (newest === undefined || newest.until_at === null || newest.lag_s === null) return null
  const until_ms = Date.parse(newest.until_at)
  return sourcesCopy.backfillOwed(
    formatClock(until_ms, zone, true),
    zoneName(zone, until_ms),
    formatSeconds(newest.lag_s),
  )
}

/** Gaps are noted when a source answers again: before that there are none of what is owed now. `none`: how it is said. */
export const noGapsWord = ({ state }: SourceOut, stream: StreamOut, none: string = commonCopy.none) =>
  state === 'failing' && isLate(stream) ? sourcesCopy.yet(none) : none

/** "44 read, 11 new": the newest ones are read again on purpose. */
export function broughtWords(stream: StreamOut): string | null {
  const { last_samples: read, last_new_samples: fresh } = stream
  if (hasFailed(stream)) return sourcesCopy.failedRun
  if (read === null) return null
  return fresh === null
    ? sourcesCopy.readOnly(formatCount(read))
    : sourcesCopy.readNew(formatCount(read), formatCount(fresh))
}

/** Steps on the way to samples; what they count is none. */
const NO_SAMPLES = new Set(['inventory', 'clock', 'opening'])

/** How many samples a run read; null where it read none by what it is, or did not come so far. */
export const samplesOf = (run: RunOut): number | null =>
  NO_SAMPLES.has(run.stream) || run.error_message !== null ? null : run.samples

/** "120 completed, 3 corrected": what a run filled or changed of samples that had been read before; null where nothing was. */
export function changeWords({ completed, corrected }: Pick<RunOut, 'completed' | 'corrected'>): string | null {
  const words = [
    completed > 0 ? sourcesCopy.completed(formatCount(completed)) : null,
    corrected > 0 ? sourcesCopy.corrected(formatCount(corrected)) : null,
  ].filter((word) => word !== null)
  return words.length === 0 ? null : words.join(', ')
}

const NOUNS: Record<string, [string, string]> = {
  array_host: [sourcesCopy.arrayHost, sourcesCopy.arrayHosts],
  esxi_host: [KIND.hosts.noun, KIND.hosts.nouns],
  host_device: [sourcesCopy.device, sourcesCopy.devices],
  vm: [KIND.vms.noun, KIND.vms.nouns],
  vm_disk: [objectsCopy.virtualDisk, sourcesCopy.virtualDisks],
}

/** "11 volumes, 1 pod". */
export function inventory(entities: SourceOut['entities']): string {
  return Object.entries(entities)
    .map(([kind, count]) => plural(count, ...(NOUNS[kind] ?? [streamName(kind), `${streamName(kind)}s`])))
    .join(', ')
}

const STATES: SourceOut['state'][] = ['failing', 'late', 'waiting', 'live', 'disabled']

const STATE_WORDS: Partial<Record<SourceOut['state'], string>> = {
  late: sourcesCopy.delayedLower,
  disabled: sourcesCopy.pausedLower,
}

/** "4, all live", "4: 1 failing, 3 live". */
export function summary(sources: readonly SourceOut[]): string {
  const counts = STATES.map((state) => [state, sources.filter((source) => source.state === state).length] as const)
  const present = counts.filter(([, count]) => count > 0)
  const words = present.map(
    ([state, count]) => `${present.length === 1 ? sourcesCopy.allOf : count} ${STATE_WORDS[state] ?? state}`,
  )
  return `${sources.length}${present.length === 1 ? ', ' : ': '}${words.join(', ')}`
}

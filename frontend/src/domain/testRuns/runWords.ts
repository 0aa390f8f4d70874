/** What is said of a test run in words, and its latencies with one scale. Pure. */

import type { TestRun } from '../../api/types'
import * as testRunsCopy from '../../copy/testRuns'
import {
  formatBareLatency,
  formatCount,
  formatFixed,
  formatLatencyIn,
  isOnlyLessThan,
  type LatencyScale,
  latencyScale,
} from '../../lib/units'

export type ComparedDirection = TestRun['directions'][number]

/** More I/Os beside the run than this are not the tool's, or fewer than this were seen. */
const LEAST_RATIO = 0.9
const MOST_RATIO = 1.1

/** All together first, and each direction only where there are several. */
export function shownDirections({ directions }: TestRun): readonly ComparedDirection[] {
  const all = directions.filter(({ direction }) => direction === 'all')
  const others = directions.filter(({ direction }) => direction !== 'all')
  return others.length > 1 ? [...all, ...others] : all
}

/** Of one run: its own latency and its layers compare digit by digit. */
export function scaleOf({ directions }: TestRun): LatencyScale {
  return latencyScale(
    Math.max(0, ...directions.map(({ figures, total_us }) => Math.max(figures.mean_us ?? 0, total_us ?? 0))),
  )
}

const isTiny = (text: string) => isOnlyLessThan(text) || text === '0'

/** "+0.30 ms", "−0.30 ms", "<0.01 ms". */
export function signedLatency(us: number, scale: LatencyScale): string {
  const text = formatLatencyIn(Math.abs(us), scale)
  return us === 0 || isTiny(text) ? text : `${us > 0 ? '+' : '−'}${text}`
}

/** Below zero with a minus sign. */
export const latencyText = (us: number, scale: LatencyScale): string => minus(us, formatLatencyIn(Math.abs(us), scale))

const minus = (us: number, text: string): string => (us < 0 && !isTiny(text) ? `−${text}` : text)

/** "0.45–0.49", "−0.02 to 0.02": in the unit of the number above it. */
export function rangeText(lower_us: number, upper_us: number, scale: LatencyScale): string {
  const [lower, upper] = [lower_us, upper_us].map((us) => minus(us, formatBareLatency(Math.abs(us), scale)))
  return lower_us < 0 ? `${lower} to ${upper}` : `${lower}–${upper}`
}

/** What limits the run and its comparison. `what`: whose layers stand beside it. */
export function notesOf({ run, window, directions }: TestRun, what: string): string[] {
  const whole = directions.find(({ direction }) => direction === 'all')
  const notes = run.warnings.map(({ text }) => text)
  if (window === null) return notes
  if (window.minutes === 0) notes.push(testRunsCopy.notAnalyzed)
  else if (window.resolution !== '1m') notes.push(testRunsCopy.coarse(window.resolution))
  else if (window.is_partial) notes.push(testRunsCopy.partial)
  const ratio = whole?.ops_ratio ?? null
  if (ratio !== null && (ratio < LEAST_RATIO || ratio > MOST_RATIO))
    notes.push(testRunsCopy.otherIos(what, formatFixed(ratio, 2)))
  return notes
}

export const settingsWords = ({ block_size, outstanding_limit }: TestRun['run']): string =>
  testRunsCopy.settings(block_size, outstanding_limit === null ? null : formatCount(outstanding_limit))

/** By how much a clock is ahead, with its sign. */
export const aheadText = (seconds: number) => `${seconds < 0 ? '−' : '+'}${formatFixed(Math.abs(seconds), 2)} s`

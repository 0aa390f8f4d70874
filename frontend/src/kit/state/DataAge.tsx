/** How old the newest number is, always visible, ticking. */

import * as unitsCopy from '../../copy/units'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import { formatAge, formatAgo, formatClock, formatInstant } from '../../lib/time'
import { useNow } from '../../lib/useNow'
import styles from './DataAge.module.css'

/** Newest numbers are whole minutes, read back by up to three samples: older than this is late, and much older is lost. */
const LATE_MS = 180_000
const LOST_MS = 600_000

type Freshness = 'fresh' | 'late' | 'lost'

export function freshness(age_ms: number): Freshness {
  if (age_ms < LATE_MS) return 'fresh'
  return age_ms < LOST_MS ? 'late' : 'lost'
}

const TONE: Record<Freshness, string | undefined> = { fresh: undefined, late: 'warn', lost: 'bad' }
const WORD: Record<Freshness, string> = { fresh: '', late: unitsCopy.delayed, lost: unitsCopy.stale }

interface DataAgeProps {
  at_ms: number | null
  short?: boolean
  /** What is as old as that, in words; left out, the last sample. */
  ageText?: (clock: string, ago: string) => string
  /** Says nothing of how well things are: beside what has no data, a fresh age is no good news. */
  isPlain?: boolean
  /** Said where there was never one; left out, that nothing was measured, as trouble. */
  never?: string
}

/** `at_ms`: the newest number's instant, or null when there was never one. */
export function DataAge({ at_ms, short = false, ageText, isPlain = false, never }: DataAgeProps) {
  const { zone } = usePreferences()
  useNow()
  if (at_ms === null && never !== undefined)
    return <span className="inline-row size-label gap-6 muted nowrap">{never}</span>
  if (at_ms === null)
    return (
      <span className="inline-row size-label gap-6 nowrap" data-tone="bad">
        {unitsCopy.neverMeasured}
      </span>
    )
  const age_ms = Math.max(0, serverNow() - at_ms)
  const state = freshness(age_ms)
  return (
    <span
      className="inline-row size-label gap-6 muted numeric"
      data-tone={isPlain && state === 'fresh' ? 'plain' : TONE[state]}
      title={formatInstant(at_ms, zone)}
    >
      <span className={`${styles.dot} fixed`} aria-hidden="true" />
      {short ? '' : WORD[state]}
      {short
        ? formatAge(age_ms)
        : (ageText?.(formatClock(at_ms, zone), formatAgo(age_ms)) ?? `${unitsCopy.lastSample} ${formatAgo(age_ms)}`)}
    </span>
  )
}

/** How old the newest number is, always visible, ticking. */

import { serverNow } from '../api/serverClock'
import { usePreferences } from '../lib/preferences'
import { formatAge, formatInstant } from '../lib/time'
import { useNow } from '../lib/useNow'
import styles from './DataAge.module.css'

/** Newest numbers are whole minutes, read back by up to three samples: older than this is late, and much older is lost. */
const LATE_MS = 180_000
const LOST_MS = 600_000

type Freshness = 'fresh' | 'late' | 'lost'

export function freshness(age_ms: number): Freshness {
  if (age_ms < LATE_MS) return 'fresh'
  return age_ms < LOST_MS ? 'late' : 'lost'
}

const WORD: Record<Freshness, string> = { fresh: '', late: 'late: ', lost: 'no news: ' }

interface DataAgeProps {
  at_ms: number | null
  short?: boolean
  /** What is as old as that. */
  of?: string
  /** Says nothing of how well things are: beside what has no data, a fresh age is no good news. */
  isPlain?: boolean
  /** Said where there was never one; left out, that nothing was measured, as trouble. */
  never?: string
}

/** `at_ms`: the newest number's instant, or null when there was never one. */
export function DataAge({ at_ms, short = false, of = 'newest number', isPlain = false, never }: DataAgeProps) {
  const { zone } = usePreferences()
  useNow()
  if (at_ms === null && never !== undefined) return <span className={styles.age}>{never}</span>
  if (at_ms === null) return <span className={`${styles.age} ${styles.lost}`}>never measured</span>
  const age_ms = Math.max(0, serverNow() - at_ms)
  const state = freshness(age_ms)
  const look = isPlain && state === 'fresh' ? styles.plain : styles[state]
  return (
    <span className={`${styles.age} numeric ${look ?? ''}`} title={formatInstant(at_ms, zone)}>
      <span className={styles.dot} aria-hidden="true" />
      {short ? '' : WORD[state]}
      {short ? formatAge(age_ms) : `${of} ${formatAge(age_ms)} old`}
    </span>
  )
}

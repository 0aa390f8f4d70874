import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../api/alerts'
import * as navigationCopy from '../copy/navigation'
import { firingOf, inOrder } from '../domain/alerts/standing'
import { severityMark } from '../domain/alerts/words'
import { usePreferences } from '../lib/preferences'
import { formatClock, type Zone, zoneName } from '../lib/time'
import styles from './Layout.module.css'

/** How many alerts fire: what was last read, and "?" where that is not known or none fired then and nothing was read since. */
export function FiringCount() {
  const { data, error, dataUpdatedAt } = useQuery(alertsNowQuery())
  const { zone } = usePreferences()
  const [worst, ...others] = inOrder(firingOf(data?.alerts ?? []))
  const firing = data === undefined ? null : Number(worst !== undefined) + others.length
  if (firing === 0 && error === null) return null
  const words = firingWords(firing, error === null ? null : dataUpdatedAt, zone)
  const isKnown = firing !== null && firing > 0
  return (
    <span
      className={`${styles.count} pill push size-note numeric`}
      data-known={isKnown}
      data-tone={worst && severityMark(worst.severity).tone}
      title={words}
    >
      <span aria-hidden>{isKnown ? firing.toLocaleString('en-US') : '?'}</span>
      <VisuallyHidden> {words}</VisuallyHidden>
    </span>
  )
}

/** `lost_ms`: when it was last read, where reading fails since; null while all is well. */
function firingWords(firing: number | null, lost_ms: number | null, zone: Zone): string {
  if (firing === null) return navigationCopy.firingUnknown
  const words = navigationCopy.firing(firing === 0 ? navigationCopy.none : firing.toLocaleString('en-US'))
  return lost_ms === null
    ? words
    : navigationCopy.firingStale(words, formatClock(lost_ms, zone, true), zoneName(zone, lost_ms))
}

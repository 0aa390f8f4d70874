/** What fires now, on a wall: how many of each severity, and the worst by name. Nothing is claimed while that is not known. */

import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../../api/alerts'
import type { AlertOut } from '../../api/types'
import { bySeverity, unattended } from '../../components/alerts/standing'
import { severityMark } from '../../components/alerts/words'
import { StateMark } from '../../components/StateMark'
import styles from './Wall.module.css'

/** `choose`: which of all open alerts are the board’s own; left out, all. */
export function WallAlerts({
  choose,
}: {
  choose?: ((alerts: readonly AlertOut[]) => readonly AlertOut[]) | undefined
}) {
  const { data, error } = useQuery(alertsNowQuery())
  if (data === undefined || error !== null) return <span className={styles.alerts}>Alerts: —</span>
  if (data.judged_until_at === null) return <span className={styles.alerts}>Alerts: nothing judged yet</span>
  const open = choose === undefined ? data.alerts : choose(data.alerts)
  const firing = unattended(open)
  const known = open.length - firing.length
  // What is calm has no colour on a wall.
  return (
    <span className={styles.alerts}>
      <span className={styles.known}>{firing.length === 0 ? 'No alert fires' : 'Alerts'}</span>
      {bySeverity(firing).map(({ severity, count }) => (
        <StateMark
          key={severity}
          tone={severityMark(severity).tone}
          word={`${count} ${count > 1 && severity === 'warning' ? 'warnings' : severity}`}
        />
      ))}
      {known > 0 && <span className={styles.known}>{known} known or without data</span>}
    </span>
  )
}

/** What fires now, on a wall: how many of each severity, and the worst by name. Nothing is claimed while that is not known. */

import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../../api/alerts'
import type { AlertOut } from '../../api/types'
import * as wallsCopy from '../../copy/walls'
import { bySeverity, openAlerts } from '../../domain/alerts/standing'
import { severityMark } from '../../domain/alerts/words'
import { StateMark } from '../../kit/mark/StateMark'
import { Name } from '../../kit/text/Name'
import styles from './WallFrame.module.css'
import { firesWords } from './wallWords'

/** `choose`: which of all open alerts are the board’s own; left out, all. */
export function WallAlerts({
  choose,
}: {
  choose?: ((alerts: readonly AlertOut[]) => readonly AlertOut[]) | undefined
}) {
  const { data, error } = useQuery(alertsNowQuery())
  if (data === undefined || error !== null)
    return <span className={`${styles.alerts} flex narrow size-label nowrap`}>{wallsCopy.alertsUnknown}</span>
  if (data.analyzed_until_at === null)
    return <span className={`${styles.alerts} flex narrow size-label nowrap`}>{wallsCopy.alertsNotAnalyzed}</span>
  const { firing, recovering, others } = openAlerts(choose === undefined ? data.alerts : choose(data.alerts))
  const [worst] = firing
  // What is calm has no color on a wall.
  return (
    <span className={`${styles.alerts} flex narrow size-label nowrap`}>
      <span className="muted">{firesWords(firing)}</span>
      {bySeverity(firing).map(({ severity, count }) => (
        <StateMark
          key={severity}
          tone={severityMark(severity).tone}
          word={firing.length === 1 ? severity : `${count.toLocaleString('en-US')} ${severity}`}
        />
      ))}
      {worst !== undefined && (
        <span className={`${styles.alerted} flex narrow`}>
          {firing.length > 1 && wallsCopy.worstAlert}
          <Name>{worst.subject.name}</Name>, <Name>{worst.rule_name}</Name>
        </span>
      )}
      {recovering.length > 0 && (
        <span className="muted">
          {recovering.length} {wallsCopy.recovering}
        </span>
      )}
      {others.length > 0 && (
        <span className="muted">
          {others.length} {wallsCopy.attended}
        </span>
      )}
    </span>
  )
}

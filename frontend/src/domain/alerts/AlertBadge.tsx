/** That something has open alerts: the worst severity as shape and word, and how many there are; leads to the worst. */

import { Link } from '@tanstack/react-router'
import type { AlertOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import { StateMark } from '../../kit/mark/StateMark'
import { plural } from '../../lib/text'
import styles from './AlertBadge.module.css'
import { alertStateMark, severityMark } from './words'

export function AlertBadge({ alerts, linked = true }: { alerts: readonly AlertOut[]; linked?: boolean }) {
  // What is on its way back is told as that, and only where nothing else is open.
  const worst = alerts.find(({ state }) => state !== 'recovering') ?? alerts[0]
  if (worst === undefined) return null
  const isRecovering = worst.state === 'recovering'
  const { word, ...look } = isRecovering ? alertStateMark(worst.state, worst.severity) : severityMark(worst.severity)
  const more = alerts.length > 1 ? ` +${alerts.length - 1}` : ''
  const mark = <StateMark {...look} word={`${word}${more}`} />
  if (!linked) return <span className={`${styles.badge} pill inline small ${styles.bare}`}>{mark}</span>
  // What is seen is part of what is said: so it can be asked for by voice.
  const count = plural(alerts.length, alertsCopy.alertNoun)
  const words =
    more === ''
      ? alertsCopy.badgeCount(count, word, worst.rule_name)
      : alertsCopy.badge(word, more, count, worst.rule_name)
  return (
    <Link
      to={`/alerts/${worst.id}` as string}
      className={`${styles.badge} pill inline small`}
      aria-label={words}
      title={words}
    >
      {mark}
    </Link>
  )
}

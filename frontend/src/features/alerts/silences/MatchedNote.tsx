/** How many open alerts the conditions hold for; where they leave nothing out, that has to be chosen in so many words. */

import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../../../api/alerts'
import type { Matcher } from '../../../api/types'
import { Icon } from '../../../components/Icon'
import { plural } from '../../../lib/text'
import styles from '../Alerts.module.css'
import { holdsFor, isEverything, isHalf } from './matchers'

interface MatchedNoteProps {
  matchers: readonly Matcher[]
  /** Whether "everything" was chosen. */
  isMeant: boolean
  onMean: (isMeant: boolean) => void
  problem: string | undefined
}

export function MatchedNote({ matchers, isMeant, onMean, problem }: MatchedNoteProps) {
  const { data } = useQuery(alertsNowQuery())
  const open = data && [...data.alerts, ...data.pending]
  const count = open?.filter((alert) => holdsFor(matchers, alert)).length
  const words =
    isHalf(matchers) || count === undefined || open === undefined
      ? null
      : `${count === 0 ? 'None' : count} of ${plural(open.length, 'open alert')} ${count === 1 ? 'matches' : 'match'} now.`
  if (!isEverything(matchers)) return words && <p className="muted">{words}</p>
  return (
    <div className={styles.everything}>
      <Icon name="warning" />
      <div>
        <p>This leaves nothing out: no message is sent about any alert. {words}</p>
        <Checkbox
          label="Everything, and I mean it"
          classNames={{ input: styles.box ?? '' }}
          checked={isMeant}
          onChange={(event) => onMean(event.currentTarget.checked)}
          error={problem}
        />
      </div>
    </div>
  )
}

/** What is wrong with leaving nothing out unless it was chosen. */
export const everythingProblem = (matchers: readonly Matcher[], isMeant: boolean): string | undefined =>
  isEverything(matchers) && !isMeant ? 'Choose everything, or add a condition above.' : undefined

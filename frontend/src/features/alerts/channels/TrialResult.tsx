import type { Trial } from '../../../api/types'
import * as channelsCopy from '../../../copy/channels'
import { StateMark } from '../../../kit/mark/StateMark'
import { formatSeconds } from '../../../lib/time'
import styles from '../Alerts.module.css'
import { resultMark } from './words'

/** How a test message fared. What a receiver accepted may still be shown to nobody: only people can tell. */
export function TrialResult({ trial }: { trial: Trial }) {
  return (
    <section aria-label={channelsCopy.testResult} role="status" className={styles.result}>
      <p className={styles.marks}>
        <StateMark {...resultMark(trial.result)} />
        <span className="muted numeric">
          {trial.status === null ? '' : channelsCopy.statusCode(trial.status)}
          {channelsCopy.afterTime} {formatSeconds(trial.duration_s)}
        </span>
      </p>
      <p className={styles.wide}>{trial.detail}</p>
      {trial.result === 'delivered' && <p className="muted">{channelsCopy.checkReceiver}</p>}
    </section>
  )
}

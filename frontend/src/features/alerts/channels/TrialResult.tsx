import type { Trial } from '../../../api/types'
import * as channelsCopy from '../../../copy/channels'
import { StateMark } from '../../../kit/mark/StateMark'
import { formatSeconds } from '../../../lib/time'
import { resultMark } from './words'

/** How a test message fared. What a receiver accepted may still be shown to nobody: only people can tell. */
export function TrialResult({ trial }: { trial: Trial }) {
  return (
    <section aria-label={channelsCopy.testResult} role="status" className="note grid above gap-4">
      <p className="row wrap gap-wrap">
        <StateMark {...resultMark(trial.result)} />
        <span className="muted numeric">
          {trial.status === null ? '' : channelsCopy.statusCode(trial.status)}
          {channelsCopy.afterTime} {formatSeconds(trial.duration_s)}
        </span>
      </p>
      <p className="breaks">{trial.detail}</p>
      {trial.result === 'delivered' && <p className="muted">{channelsCopy.checkReceiver}</p>}
    </section>
  )
}

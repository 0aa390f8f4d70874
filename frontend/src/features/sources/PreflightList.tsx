/** What a test found, check by check, with what to do about it. */

import type { Check, Preflight } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { StateMark, type Tone } from '../../kit/mark/StateMark'
import { type Pinning, PinOffer } from './PinOffer'
import styles from './SourcesPage.module.css'

const TONES: Record<Check['state'], Tone> = { ok: 'good', warning: 'warn', failed: 'bad', skipped: 'calm' }

export function PreflightList({ preflight, pinning }: { preflight: Preflight; pinning: Pinning }) {
  return (
    <>
      <h3 className={`${styles.subtitle} size-label semibold`}>
        {preflight.passed ? sourcesCopy.testPassed : sourcesCopy.testFailed}
      </h3>
      <ul className="grid gap-8">
        {preflight.checks.map((check) => (
          <li key={check.name} className={`${styles.check} grid start gap-words`}>
            <StateMark tone={TONES[check.state]} word={check.state} />
            <div>
              <p>
                <strong>{check.name}</strong>: {check.detail}
              </p>
              {check.remedy !== '' && <p className="muted">{check.remedy}</p>}
            </div>
            {check.presented_sha256 !== null && <PinOffer sha256={check.presented_sha256} pinning={pinning} />}
          </li>
        ))}
      </ul>
    </>
  )
}

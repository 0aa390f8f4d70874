/** What a test found, check by check, with what to do about it. */

import { useEffect, useRef } from 'react'
import type { Check, Preflight } from '../../api/types'
import { StateMark, type Tone } from '../../components/StateMark'
import styles from './SourcesPage.module.css'

const TONES: Record<Check['state'], Tone> = { ok: 'good', warning: 'warn', failed: 'bad', skipped: 'calm' }

export function PreflightList({ preflight }: { preflight: Preflight }) {
  const result = useRef<HTMLElement>(null)
  // It stands under the form, out of sight of whoever pressed the button: each new one is brought there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result itself is what moves it
  useEffect(() => {
    // What it answers (a promise, by now) is no way to undo it.
    result.current?.scrollIntoView({ block: 'start' })
  }, [preflight])
  return (
    <section ref={result} aria-label="Result of the test" role="status" className={styles.result}>
      <h3 className={styles.subtitle}>{preflight.passed ? 'The test passed' : 'The test failed'}</h3>
      <ul className={styles.checks}>
        {preflight.checks.map((check) => (
          <li key={check.name} className={styles.check}>
            <StateMark tone={TONES[check.state]} word={check.state} />
            <div>
              <p>
                <strong>{check.name}</strong>: {check.detail}
              </p>
              {check.remedy !== '' && <p className={styles.remedy}>{check.remedy}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

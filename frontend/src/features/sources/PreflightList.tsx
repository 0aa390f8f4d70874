/** What a test found, check by check, with what to do about it. */

import type { Check, Preflight } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { columnWidths } from '../../kit/layout/columns'
import { StateMark, type Tone } from '../../kit/mark/StateMark'
import { type Pinning, PinOffer } from './PinOffer'

const TONES: Record<Check['state'], Tone> = { ok: 'good', warning: 'warn', failed: 'bad', skipped: 'calm' }

export function PreflightList({ preflight, pinning }: { preflight: Preflight; pinning: Pinning }) {
  const skipped = preflight.checks.filter(({ state }) => state === 'skipped')
  return (
    <>
      <h3 className="title">{preflight.passed ? sourcesCopy.testPassed : sourcesCopy.testFailed}</h3>
      <ul className="grid gap-8">
        {preflight.checks.map(
          (check) =>
            check.state !== 'skipped' && (
              <li key={check.name} className="columns start gap-words" style={columnWidths('82px 1fr')}>
                <StateMark tone={TONES[check.state]} word={check.state} />
                <div className="breaks">
                  <p>
                    <strong>{check.name}</strong>: {check.detail}
                  </p>
                  {check.remedy !== '' && <p className="muted">{check.remedy}</p>}
                </div>
                {check.presented_sha256 !== null && <PinOffer sha256={check.presented_sha256} pinning={pinning} />}
              </li>
            ),
        )}
        {skipped.length > 0 && (
          <li className="columns start gap-words" style={columnWidths('82px 1fr')}>
            <StateMark tone={TONES.skipped} word={sourcesCopy.checkSkipped} />
            <p className="muted">{sourcesCopy.notTested(skipped.map(({ name }) => name).join(', '))}</p>
          </li>
        )}
      </ul>
    </>
  )
}

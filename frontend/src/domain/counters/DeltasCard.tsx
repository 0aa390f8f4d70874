/** The differences between neighboring boundaries, reads and writes together: what "the array is fine" comes down to. */

import type { Deltas } from '../../api/types'
import { overText } from '../../charts/over'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import * as unitsCopy from '../../copy/units'
import { Card } from '../../kit/layout/Card'
import { formatLatencyIn, latencyScale } from '../../lib/units'
import styles from '../diagnosis/Diagnosis.module.css'

type Delta = Deltas['deltas'][number]

/** `isCalm`: the diagnosis names nothing; what is above baseline has its sign all the same. */
export function DeltasCard({ deltas: { deltas }, isCalm }: { deltas: Deltas; isCalm: boolean }) {
  const scale = latencyScale(Math.max(0, ...deltas.map(({ upper_us }) => upper_us ?? 0)))
  const latency = (us: number | null) => formatLatencyIn(us, scale)
  // A vVol's device is shared: its differences have an estimate and no range.
  const between = ({ lower_us, upper_us }: Delta) =>
    lower_us === null || upper_us === null
      ? unitsCopy.notMeasured
      : commonCopy.range(latency(lower_us), latency(upper_us))
  return (
    <Card title={countersCopy.differences} hint={countersCopy.differencesHint}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label={countersCopy.differencesScroll}>
        <table className="lines" aria-label={countersCopy.differences}>
          <thead>
            <tr>
              <th scope="col">{countersCopy.difference}</th>
              <th scope="col" className="right numeric">
                {countersCopy.estimate}
              </th>
              <th scope="col" className="right numeric not-on-phones">
                {commonCopy.rangeHeader}
              </th>
              <th scope="col" className="right numeric">
                {countersCopy.aboveBaseline}
              </th>
            </tr>
          </thead>
          <tbody>
            {deltas.map((delta) => (
              <tr key={delta.name}>
                <td>{delta.label}</td>
                <td className="right numeric">
                  {delta.us === null ? <span className="faint">{unitsCopy.notMeasured}</span> : latency(delta.us)}
                  {delta.us !== null && (
                    <span className={`${styles.below} small`}>{commonCopy.inRange(between(delta))}</span>
                  )}
                </td>
                <td className="right numeric not-on-phones">{delta.us === null ? '' : between(delta)}</td>
                <td
                  className={`right numeric ${isSure(delta) && !isCalm ? 'semibold' : ''}`}
                  data-tone={isSure(delta) && !isCalm ? 'bad' : undefined}
                >
                  {excessWords(delta, latency)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {deltas.some(({ name, us }) => name === 'driver_array' && us !== null) && (
        <p className="quiet pretty above">{countersCopy.driverArrayNote}</p>
      )}
    </Card>
  )
}

const isSure = ({ excess_lower_us }: Delta) => (excess_lower_us ?? 0) > 0

function excessWords(delta: Delta, latency: (us: number) => string): string {
  if (delta.excess_us === null) return ''
  return delta.excess_us > 0 ? overText(latency(delta.excess_us), isSure(delta)) : latency(0)
}

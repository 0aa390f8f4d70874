/** The differences between neighbouring boundaries, reads and writes together: what "the array is fine" comes down to. */

import type { Deltas } from '../../api/types'
import { overText } from '../../charts/over'
import { formatLatencyIn, latencyScale } from '../../lib/units'
import { Card } from '../Card'
import { overWords } from './expectedWords'
import styles from './Verdict.module.css'

type Delta = Deltas['deltas'][number]

/** `isCalm`: the verdict names nothing; what is over expected has its sign all the same. */
export function DeltasCard({ deltas: { deltas, expected_from }, isCalm }: { deltas: Deltas; isCalm: boolean }) {
  const over = overWords(expected_from)
  const scale = latencyScale(Math.max(0, ...deltas.map(({ upper_us }) => upper_us ?? 0)))
  const latency = (us: number | null) => formatLatencyIn(us, scale)
  const between = ({ lower_us, upper_us }: Delta) => `${latency(lower_us)} and ${latency(upper_us)}`
  return (
    <Card title="Between the boundaries" hint="outermost first, reads and writes together">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label="Between the boundaries, scrolls">
        <table className={styles.rows} aria-label="Differences between neighbouring boundaries">
          <thead>
            <tr>
              <th scope="col">Difference</th>
              <th scope="col" className={styles.number}>
                Estimate
              </th>
              <th scope="col" className={`${styles.number} ${styles.wide}`}>
                between
              </th>
              <th scope="col" className={styles.number}>
                {over.charAt(0).toUpperCase() + over.slice(1)}
              </th>
            </tr>
          </thead>
          <tbody>
            {deltas.map((delta) => (
              <tr key={delta.name}>
                <td>{delta.label}</td>
                <td className={styles.number}>
                  {delta.us === null ? <span className="faint">not measured</span> : latency(delta.us)}
                  {delta.us !== null && <span className={styles.below}>between {between(delta)}</span>}
                </td>
                <td className={`${styles.number} ${styles.wide}`}>{delta.us === null ? '' : between(delta)}</td>
                <td className={`${styles.number} ${isSure(delta) && !isCalm ? styles.over : ''}`}>
                  {excessWords(delta, latency)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {deltas.some(({ name, us }) => name === 'driver_array' && us !== null) && (
        <p className={styles.note}>Driver − array is the SAN layer without the port that the array times itself.</p>
      )}
    </Card>
  )
}

const isSure = ({ excess_lower_us }: Delta) => (excess_lower_us ?? 0) > 0

function excessWords(delta: Delta, latency: (us: number) => string): string {
  if (delta.excess_us === null) return ''
  return delta.excess_us > 0 ? overText(latency(delta.excess_us), isSure(delta)) : latency(0)
}

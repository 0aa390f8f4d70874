/** Latency of the last hour as a line in a row: from zero to its highest point, with gaps where nothing was measured. */

import type { OverviewRow } from '../../api/types'
import * as overviewCopy from '../../copy/overview'
import { formatLatency } from '../../lib/units'
import styles from './Standing.module.css'

const [WIDTH, HEIGHT] = [80, 28]
/** A single point between gaps is a short stroke. */
const DOT = 1.5

export function Sparkline({ trend }: { trend: OverviewRow['trend'] }) {
  const measured = trend?.total_us.filter((us) => us !== null) ?? []
  if (trend === null || measured.length === 0) return <span className="faint">–</span>
  const words = overviewCopy.lastHourRange(formatLatency(Math.min(...measured)), formatLatency(Math.max(...measured)))
  return (
    <svg
      className={styles.trend}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <path d={sparkPath(trend.total_us)} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}

/** Points side by side, the highest at the top; a null ends the line. */
export function sparkPath(points: readonly (number | null)[]): string {
  const most = Math.max(...points.map((us) => us ?? 0), 1)
  const step = WIDTH / Math.max(1, points.length - 1)
  return points
    .map((us, index) => {
      if (us === null) return ''
      const at = `${(index * step).toFixed(1)} ${(HEIGHT - 1 - (HEIGHT - 2) * (us / most)).toFixed(1)}`
      const before = points[index - 1] ?? null
      if (before !== null) return `L${at}`
      return (points[index + 1] ?? null) === null ? `M${at}h${DOT}` : `M${at}`
    })
    .join('')
}

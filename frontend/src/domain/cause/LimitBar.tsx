import type { Cause } from '../../api/types'
import styles from './Cause.module.css'

/** How much of a limit is used, beside the numbers that say so. The mark is the limit: normalized rates may exceed it. */
export function LimitBar({ limit: { used_share } }: { limit: NonNullable<Cause['limit']> }) {
  const most = Math.max(1, used_share)
  return (
    <span className="meter" style={{ height: 8 }} aria-hidden="true">
      <span className={styles.used} style={{ width: `${(100 * used_share) / most}%` }} />
      <span className={styles.mark} style={{ left: `${100 / most}%` }} />
    </span>
  )
}

/** Several lines in one cell. */

import type { ReactNode } from 'react'
import styles from './Stacked.module.css'

/** Whose, and below it the numbers of the row with their words. */
export function Stacked({ of, lines }: { of: ReactNode; lines: readonly ReactNode[] }) {
  return (
    <span className={styles.stacked}>
      <span className={styles.of}>{of}</span>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a row keep their places
        <span key={index} className={`${styles.quiet} numeric`}>
          {line}
        </span>
      ))}
    </span>
  )
}

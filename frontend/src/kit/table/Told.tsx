/** One row of a table on a phone: several columns said in one. */

import type { ReactNode } from 'react'
import { visibleName } from '../../lib/text'
import styles from './Told.module.css'

/** Height of a row that holds it, in px. */
export const TOLD_PX = 84

/** When, what in words that are read in full, and whose. */
export function Told({ when, what, children }: { when: string; what: string; children?: ReactNode }) {
  const words = visibleName(what)
  return (
    <span className={styles.told}>
      <span className={`${styles.quiet} numeric`}>{when}</span>
      <span className={styles.what} title={words}>
        {words}
      </span>
      <span className={styles.quiet}>{children}</span>
    </span>
  )
}

/** Whose, and below it the numbers of the row with their words. */
export function Stacked({ of, lines }: { of: ReactNode; lines: readonly ReactNode[] }) {
  return (
    <span className={styles.told}>
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

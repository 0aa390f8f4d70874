/** One row of a table on a phone: all its columns said in one cell, with what can be done about it in sight. */

import type { CSSProperties, ReactNode } from 'react'
import { visibleName } from '../../lib/text'
import styles from './NarrowRow.module.css'

interface NarrowRowProps {
  /** What it is, and beside it how it stands. */
  head: ReactNode
  /** The rest in words; `[words, lines]`: cut after so many lines, one by default. */
  lines: readonly (string | readonly [string, number])[]
  actions?: ReactNode
}

export function NarrowRow({ head, lines, actions }: NarrowRowProps) {
  return (
    <div className={styles.row}>
      <div className={styles.head}>{head}</div>
      {lines.map((line) => {
        const [given, most] = typeof line === 'string' ? [line, 1] : line
        const words = visibleName(given)
        return (
          <span
            key={words}
            className={`${styles.line} numeric`}
            style={{ '--lines': most } as CSSProperties}
            title={words}
          >
            {words}
          </span>
        )
      })}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}

/** Its height in px: the head, so many lines, and buttons as high as fingers need them. */
export const narrowRowPx = (lines: number, hasActions: boolean) => 16 + 24 + lines * 21 + (hasActions ? 50 : 0)

/** A state as shape, word and colour: never colour alone. */

import { MARK_SHAPES, type Tone } from '../lib/marks'
import styles from './StateMark.module.css'

export type { Tone }

export function StateMark({ tone, word }: { tone: Tone; word: string }) {
  return (
    <span className={`${styles.mark} ${styles[tone] ?? ''}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
        <path d={MARK_SHAPES[tone]} fillRule="evenodd" />
      </svg>
      {word}
    </span>
  )
}

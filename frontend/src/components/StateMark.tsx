/** A state as shape, word and colour: never colour alone. */

import styles from './StateMark.module.css'

export type Tone = 'good' | 'warn' | 'open' | 'bad' | 'calm'

const SHAPES: Record<Tone, string> = {
  good: 'M6 1a5 5 0 100 10A5 5 0 006 1z',
  warn: 'M6 1l5.2 9.6H.8z',
  open: 'M6 1l5.2 9.6H.8zM6 4.2L3.3 9.2h5.4z',
  bad: 'M1 6l5-5 5 5-5 5z',
  calm: 'M2 5h8v2H2z',
}

export function StateMark({ tone, word }: { tone: Tone; word: string }) {
  return (
    <span className={`${styles.mark} ${styles[tone] ?? ''}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
        <path d={SHAPES[tone]} fillRule="evenodd" />
      </svg>
      {word}
    </span>
  )
}

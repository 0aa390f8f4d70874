/** What the signs of a chart mean, as words that switch nothing. The exported picture says the same. */

import type { CSSProperties } from 'react'
import * as chartsCopy from '../../copy/charts'
import styles from './Words.module.css'

export interface LegendWord {
  label: string
  color: string
  /** Line around a fill that would be too faint on the card by itself. */
  edge?: string
  /** How it looks in the chart: never its color alone. */
  mark: 'fill' | 'hatched' | 'dotted' | 'outline' | 'whisker' | StrokeMark | { sign: string }
}

/** Strokes of a line: `points` is what `dotted` is of a fill. */
type StrokeMark = 'solid' | 'dashed' | 'points'

export function Words({ words }: { words: readonly LegendWord[] }) {
  return (
    <ul className={`${styles.words} flex wrap quiet gap-wrap`} aria-label={chartsCopy.legend}>
      {words.map((word) => (
        <li key={word.label} className="inline-row gap-6">
          <Mark {...word} />
          {word.label}
        </li>
      ))}
    </ul>
  )
}

export function Mark({ color, edge = color, mark }: Omit<LegendWord, 'label'>) {
  const style = { '--color': color, '--edge': edge } as CSSProperties
  if (typeof mark === 'object')
    return (
      <b className={styles.sign} style={style} aria-hidden="true">
        {mark.sign}
      </b>
    )
  return (
    <i
      className={`${styles.mark} hatchable fixed`}
      data-mark={mark}
      data-hatched={mark === 'hatched'}
      style={style}
      aria-hidden="true"
    />
  )
}

/** What the colors and strokes mean, by the panel that they are in; each entry switches its lines on and off. */

import type { PanelLine } from '../../charts/panels'
import * as chartsCopy from '../../copy/charts'
import { AtOnce } from '../../lib/search'
import styles from './Chart.module.css'
import { lineWord } from './lineWords'
import { useHiddenLines, useToggleLine } from './timeChart'
import { useTokens } from './useTokens'
import { Mark } from './Words'

interface LegendProps {
  lines: readonly PanelLine[]
}

export function Legend({ lines }: LegendProps) {
  return (
    <AtOnce>
      <Keys lines={lines} />
    </AtOnce>
  )
}

function Keys({ lines }: LegendProps) {
  const tokens = useTokens()
  const hidden = useHiddenLines()
  const toggle = useToggleLine()
  return (
    <fieldset className={styles.legend} aria-label={chartsCopy.series}>
      {[...Map.groupBy(lines, ({ strip }) => strip)].map(([strip, own]) => (
        <span key={strip ?? ''} className={styles.strip}>
          {strip !== undefined && <span className={styles.stripName}>{strip}</span>}
          {own.map((line) => (
            <button
              key={line.key}
              type="button"
              className={styles.key}
              aria-pressed={!hidden.has(line.key)}
              onClick={() => toggle(line.key)}
            >
              <Mark {...lineWord(line, tokens)} />
              {line.legend}
            </button>
          ))}
        </span>
      ))}
    </fieldset>
  )
}

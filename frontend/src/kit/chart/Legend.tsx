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
    <fieldset className={`${styles.legend} flex wrap`} aria-label={chartsCopy.series}>
      {[...Map.groupBy(lines, ({ strip }) => strip)].map(([strip, own]) => (
        <span key={strip ?? ''} className={`${styles.strip} row wrap`}>
          {strip !== undefined && <span className={`${styles.stripName} quiet`}>{strip}</span>}
          {own.map((line) => (
            <button
              key={line.key}
              type="button"
              className={`${styles.key} plain inline-row tap ink size-label gap-6`}
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

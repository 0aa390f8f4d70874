/** What the colours and strokes mean; each entry switches its lines on and off. */

import type { PanelLine } from '../../charts/panels'
import { colourOf } from '../../charts/tokens'
import { AtOnce } from '../../lib/search'
import styles from './Chart.module.css'
import { useHiddenLines, useToggleLine } from './timeChart'
import { useTokens } from './useTokens'

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
    <fieldset className={styles.legend} aria-label="Lines of the chart">
      {lines.map((line) => {
        const colour = colourOf(line, tokens)
        const edge = 'layer' in line.colour ? tokens.edge[line.colour.layer] : colour
        return (
          <button
            key={line.key}
            type="button"
            className={styles.key}
            aria-pressed={!hidden.has(line.key)}
            onClick={() => toggle(line.key)}
          >
            {line.shape !== 'line' ? (
              <span
                className={`${styles.mark} ${line.hatched ? styles.hatched : ''}`}
                style={{ backgroundColor: colour, boxShadow: `inset 0 0 0 1px ${edge}` }}
              />
            ) : (
              <span
                className={`${styles.stroke} ${styles.mark}`}
                style={{ height: 0, borderTopColor: colour, borderTopStyle: line.stroke }}
              />
            )}
            {line.legend}
          </button>
        )
      })}
    </fieldset>
  )
}

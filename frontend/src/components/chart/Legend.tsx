/** What the colours and strokes mean; each entry switches its lines on and off. */

import type { PanelLine } from '../../charts/panels'
import { colourOf } from '../../charts/tokens'
import styles from './Chart.module.css'
import { useTokens } from './useTokens'

interface LegendProps {
  lines: readonly PanelLine[]
  hidden: ReadonlySet<string>
  onToggle: (key: string) => void
}

export function Legend({ lines, hidden, onToggle }: LegendProps) {
  const tokens = useTokens()
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
            onClick={() => onToggle(line.key)}
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

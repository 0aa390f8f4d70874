/** Layers of a latency or of the I/Os inside, as one bar in path order; what was not separable is hatched. */

import { type LayerId, layerLook } from '../../charts/segments'
import { type ChartTokens, colorOf } from '../../charts/tokens'
import { useTokens } from '../../kit/chart/useTokens'
import styles from '../diagnosis/Diagnosis.module.css'

export interface BarPiece {
  name: string
  label: string
  layers: readonly LayerId[]
  size: number
}

interface LayerBarProps {
  pieces: readonly BarPiece[]
  /** What fills the whole width. */
  max: number
  /** All of it in words. */
  words: string
  tall?: boolean
}

export function LayerBar({ pieces, max, words, tall = false }: LayerBarProps) {
  const tokens = useTokens()
  return (
    <span className={`${styles.bar} ${tall ? styles.barTall : ''} flex`} role="img" aria-label={words} title={words}>
      {pieces
        .filter(({ size }) => size > 0)
        .map((piece) => {
          const { style, ...paint } = layerPaint(piece.layers, tokens)
          const width = `${Math.min(100, (100 * piece.size) / max)}%`
          return (
            <span key={piece.name} className={`${styles.piece} hatchable`} {...paint} style={{ ...style, width }} />
          )
        })}
    </span>
  )
}

/** A layer's colors, and whether stripes are laid over them. */
function layerPaint(layers: readonly LayerId[], tokens: ChartTokens) {
  const look = layerLook(layers)
  const backgroundColor = colorOf({ ...look, shape: 'band' }, tokens)
  const edge = 'layer' in look.color ? tokens.edge[look.color.layer] : backgroundColor
  return { style: { backgroundColor, boxShadow: `inset 0 0 0 1px ${edge}` }, 'data-hatched': look.hatched }
}

export function LayerSwatch({ layers }: { layers: readonly LayerId[] }) {
  const tokens = useTokens()
  return <span className={`${styles.swatch} hatchable fixed`} {...layerPaint(layers, tokens)} aria-hidden="true" />
}

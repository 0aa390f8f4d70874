/** The layers of a row as pieces of a bar: what a diagnosis could not decide between is one piece, never a decided split. */

import type { OverviewRow } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import type { BarPiece } from '../io-path/LayerBar'

export function piecesOf({
  layers,
  layer,
  other,
  confidence,
}: Pick<OverviewRow, 'layers' | 'layer' | 'other' | 'confidence'>): BarPiece[] {
  const pieces = layers.map((one) => ({ ...one, size: one.us }))
  if (confidence !== 'inconclusive') return pieces
  const open = pieces.filter(({ name }) => name === layer || name === other)
  const [first] = open
  if (first === undefined || open.length < 2) return pieces
  const merged = {
    name: open.map(({ name }) => name).join('_'),
    label: open.map(({ label }) => label).join(diagnosisCopy.or),
    layers: open.flatMap((one) => one.layers),
    size: open.reduce((sum, { size }) => sum + size, 0),
  }
  return pieces.filter((one) => one === first || !open.includes(one)).map((one) => (one === first ? merged : one))
}

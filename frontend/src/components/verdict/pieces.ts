/** The layers of a row as pieces of a bar: what a verdict could not decide between is one piece, never a decided split. */

import type { OverviewRow } from '../../api/types'
import type { BarPiece } from './LayerBar'

export function piecesOf({
  layers,
  layer,
  other,
  certainty,
}: Pick<OverviewRow, 'layers' | 'layer' | 'other' | 'certainty'>): BarPiece[] {
  const pieces = layers.map((one) => ({ ...one, size: one.us }))
  if (certainty !== 'undetermined') return pieces
  const open = pieces.filter(({ name }) => name === layer || name === other)
  const [first] = open
  if (first === undefined || open.length < 2) return pieces
  const merged = {
    name: open.map(({ name }) => name).join('_'),
    label: open.map(({ label }) => label).join(' or '),
    layers: open.flatMap((one) => one.layers),
    size: open.reduce((sum, { size }) => sum + size, 0),
  }
  return pieces.filter((one) => one === first || !open.includes(one)).map((one) => (one === first ? merged : one))
}

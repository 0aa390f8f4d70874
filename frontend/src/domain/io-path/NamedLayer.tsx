import type { OverviewRow } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import { LayerSwatch } from './LayerBar'
import { namedLayers } from './namedWords'

interface NamedLayerProps {
  row: Pick<OverviewRow, 'state' | 'layer' | 'other' | 'layers' | 'layer_label' | 'other_label'>
  className?: string | undefined
}

/** The layer that a diagnosis names, as color and word, where there is no room for its sentence; nothing where it names none. */
export function NamedLayer({ row, className }: NamedLayerProps) {
  const layers = namedLayers(row)
  if (layers.length === 0) return null
  return (
    <span className={className}>
      <LayerSwatch layers={layers} />
      {row.layer_label}
      {row.other_label !== null && diagnosisCopy.orLayer(row.other_label)}
    </span>
  )
}

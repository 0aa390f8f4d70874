/** What a ranking's row loses its time to, in a few words: for tiles, walls and wherever the whole sentence has no room. */

import type { OverviewRow } from '../../api/types'
import { LAYER_IDS, type LayerId } from '../../charts/segments'
import { formatLatency } from '../../lib/units'

type Named = Pick<OverviewRow, 'sentence' | 'state' | 'layer' | 'layers' | 'excess_us'>

/** The layers that a name stands for: "san_array" is two that were not separable. */
export const layersNamed = (
  name: string | null,
  layers: readonly { name: string; layers: readonly LayerId[] }[],
): readonly LayerId[] => layers.find((one) => one.name === name)?.layers ?? []

/** The layers that a diagnosis names, with what it could not decide from; none where it names none. */
export const namedLayers = ({
  state,
  layer,
  other,
  layers,
}: Pick<OverviewRow, 'state' | 'layer' | 'other'> & { layers: Parameters<typeof layersNamed>[1] }): LayerId[] => {
  const named = [layer, other].flatMap((name) => layersNamed(name, layers))
  return state === 'judged' ? LAYER_IDS.filter((one) => named.includes(one)) : []
}

/** Of the layer that is named, as in the sentence; other layers may have been faster than usual meanwhile. */
const namedExcess = ({ layers, layer, excess_us }: Named) =>
  layers.find(({ name }) => name === layer)?.excess_us ?? excess_us

/** "Kernel queue on esx-14, +0.44 ms"; null where no layer is named. */
export const namedWords = (row: Named): string | null =>
  row.state === 'judged' && row.layer !== null ? `${row.sentence.headline}, +${formatLatency(namedExcess(row))}` : null

/** What a ranking's row loses its time to, in a few words: for tiles, walls and wherever the whole sentence has no room. */

import type { OverviewRow } from '../../api/types'
import { LAYER_IDS, type LayerId } from '../../charts/segments'
import { formatLatency } from '../../lib/units'

type Named = Pick<OverviewRow, 'sentence' | 'state' | 'layer' | 'layers' | 'excess_us'>

/** The layers that a verdict names, with what it could not decide from; none where it names none. */
export const namedLayers = ({ state, layer, other }: Pick<OverviewRow, 'state' | 'layer' | 'other'>): LayerId[] => {
  const names = [layer, other].flatMap((name) => name?.split('_') ?? [])
  return state === 'judged' ? LAYER_IDS.filter((one) => names.includes(one)) : []
}

/** "Kernel queue on esx-14": what stands before the numbers of the verdict's own sentence. */
export const namedBy = ({ sentence, layer }: Pick<Named, 'sentence' | 'layer'>) =>
  layer === null ? '' : (sentence.split(':')[0] ?? '')

/** Of the layer that is named, as in the sentence; other layers may have been faster than usual meanwhile. */
const namedExcess = ({ layers, layer, excess_us }: Named) =>
  layers.find(({ name }) => name === layer)?.excess_us ?? excess_us

/** "Kernel queue on esx-14, +0.44 ms"; null where no layer is named. */
export const namedWords = (row: Named): string | null =>
  row.state === 'judged' && row.layer !== null ? `${namedBy(row)}, +${formatLatency(namedExcess(row))}` : null

/** Names of layers that are abbreviations stay as they are inside a sentence. */
export const midSentence = (words: string) =>
  /^\p{Lu}\p{Lu}/u.test(words) ? words : words.charAt(0).toLowerCase() + words.slice(1)

/** How fast a layer is, in words: per I/O that was measured in it, which the width of its bar, a part of the whole, is not. */

import { shareText } from '../../charts/waterfall'
import * as breakdownCopy from '../../copy/breakdown'
import { formatLatency } from '../../lib/units'

export interface LayerTimes {
  label: string
  measured_us: number
  ops_share: number
}

/** As the API's own sentences do: below this part of the I/Os they say in which part it was measured. */
const MOST_OPS = 0.95

/** "0.40 ms", "0.40 ms in 62 % of I/Os". */
export function layerTime({ measured_us, ops_share }: LayerTimes): string {
  const time = formatLatency(measured_us)
  return ops_share < MOST_OPS ? breakdownCopy.inShareOfIos(time, shareText(ops_share)) : time
}

const LEAST_TOLD = 0.01

/** Without what is under a hundredth of the whole: charts and tables have it, in a sentence it only hides the rest. */
export function worthTelling<Part>(parts: readonly Part[], sizeOf: (part: Part) => number): Part[] {
  const whole = parts.reduce((sum, part) => sum + sizeOf(part), 0)
  return parts.filter((part) => sizeOf(part) >= LEAST_TOLD * whole)
}

/** "Kernel 0.44 ms, Array 0.40 ms in 62 % of I/Os": a stacked bar for those who do not see it. */
export const layersWords = (layers: readonly LayerTimes[]) =>
  worthTelling(layers, ({ measured_us, ops_share }) => measured_us * ops_share)
    .map((layer) => `${layer.label} ${layerTime(layer)}`)
    .join(', ')

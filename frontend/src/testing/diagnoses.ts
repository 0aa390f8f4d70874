/** One direction of a waterfall with known numbers, for tests. */

import type { WaterfallColumn, WaterfallLayer, WaterfallPart } from '../charts/waterfall'

export const layer = (name: string, us: number, extra: Partial<WaterfallLayer> = {}): WaterfallLayer => ({
  name,
  label: name,
  layers: name.split('_') as WaterfallLayer['layers'],
  us,
  lower_us: us / 2,
  upper_us: us * 2,
  baseline_us: 0,
  excess_us: 0,
  excess_lower_us: 0,
  share: null,
  ...extra,
})

export const part = (name: string, of: string, us: number): WaterfallPart => ({
  name,
  label: name,
  layer: of,
  layers: of.split('_') as WaterfallPart['layers'],
  is_rest: name.endsWith('_rest'),
  us,
  share: null,
})

/** kernel 440 (queue 400, other 40), san 90 in one part, array 400 in one part: 930 µs. */
export const readColumn: WaterfallColumn = {
  direction: 'read',
  state: 'judged',
  total_us: 930,
  baseline_us: 600,
  layers: [
    layer('kernel', 440, { share: 0.473, excess_us: 440, excess_lower_us: 120 }),
    layer('san', 90, { baseline_us: 100, share: 0.097 }),
    layer('array', 400, { baseline_us: 500, share: 0.43 }),
  ],
  parts: [
    part('kernel_queue', 'kernel', 400),
    part('kernel_service', 'kernel', 40),
    part('array_port', 'san', 90),
    part('array_service', 'array', 400),
  ],
  not_measured: ['guest'],
}

/** A waterfall's raw numbers for a spreadsheet. Pure. */

import * as breakdownCopy from '../copy/breakdown'
import type { CsvCell } from '../lib/csv'
import type { WaterfallColumn } from './waterfall'

/** Raw numbers of every layer and part, one row each; `disagreement_us` is of both directions, in the worst minute. */
export function waterfallCsv(
  columns: readonly WaterfallColumn[],
  disagreement_us: number | null = null,
): { header: string[]; rows: CsvCell[][] } {
  const header = [
    'direction',
    breakdownCopy.segment,
    'us',
    'lower_us',
    'upper_us',
    'baseline_us',
    'excess_us',
    'excess_lower_us',
    'share',
    'counted_by_array_us',
  ]
  const rows = columns.flatMap(({ direction, total_us, baseline_us, layers, parts }): CsvCell[][] => [
    [direction, 'total', total_us, null, null, baseline_us, null, null, null, null],
    ...layers.map((one): CsvCell[] => [
      direction,
      one.label,
      one.us,
      one.lower_us,
      one.upper_us,
      one.baseline_us,
      one.excess_us,
      one.excess_lower_us,
      one.share,
      one.counted_us ?? null,
    ]),
    ...parts.map((one): CsvCell[] => [
      direction,
      `${one.layer}: ${one.label}`,
      one.us,
      null,
      null,
      null,
      null,
      null,
      one.share,
      one.counted_us ?? null,
    ]),
  ])
  const contradiction: CsvCell[][] =
    disagreement_us === null || disagreement_us <= 0
      ? []
      : [['all', breakdownCopy.contradictionCsv, disagreement_us, null, null, null, null, null, null, null]]
  return { header, rows: [...rows, ...contradiction] }
}

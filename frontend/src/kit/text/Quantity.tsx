/** A number with its unit. What was not measured says so and is never a zero. */

import * as unitsCopy from '../../copy/units'
import {
  type ColumnUnit,
  formatColumn,
  formatCounter,
  formatPrecision,
  formatRate,
  NOT_MEASURED,
} from '../../lib/units'

/** In place of a latency where operations were counted and there were none. */
export const NO_IO = unitsCopy.noIo

interface QuantityProps {
  value: number | null
  unit: ColumnUnit
  precision?: number | null
  /** Where the number comes from, shown on hover. */
  origin?: string
  /** Leaves the unit of an I/O rate to the column's heading. */
  bare?: boolean
  /** A latency beside finer ones: a counter of whole ms is written as what it may stand for. */
  isCompared?: boolean
  /** Stands where there is no number. */
  absent?: string
}

export function Quantity({
  value,
  unit,
  precision = null,
  origin,
  bare = false,
  isCompared = false,
  absent = NOT_MEASURED,
}: QuantityProps) {
  if (value === null) {
    return (
      <span className="faint size-note nowrap regular" title={origin}>
        {absent}
      </span>
    )
  }
  const step = precision === null ? '' : unitsCopy.resolution(formatPrecision(precision, unit))
  const title = [origin, step].filter(Boolean).join(' · ')
  return (
    <span className="numeric" title={title || undefined}>
      {bare ? formatRate(value) : isCompared ? formatCounter(value, precision) : formatColumn(value, unit, precision)}
    </span>
  )
}

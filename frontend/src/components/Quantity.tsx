/** A number with its unit. What was not measured says so and is never a zero. */

import { type ColumnUnit, formatColumn, formatPrecision, NOT_MEASURED } from '../lib/units'

interface QuantityProps {
  value: number | null
  unit: ColumnUnit
  precision?: number | null
  /** Where the number comes from, shown on hover. */
  origin?: string
}

export function Quantity({ value, unit, precision = null, origin }: QuantityProps) {
  if (value === null) {
    return (
      <span className="faint" title={origin}>
        {NOT_MEASURED}
      </span>
    )
  }
  const step = precision === null ? '' : `counted in steps of ${formatPrecision(precision, unit)}`
  const title = [origin, step].filter(Boolean).join(' · ')
  return (
    <span className="numeric" title={title || undefined}>
      {formatColumn(value, unit, precision)}
    </span>
  )
}

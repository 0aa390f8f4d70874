/** Numbers of a cause as the field writes them, by the unit that the API gives. */

import type { Cause } from '../../api/types'
import { shareText } from '../../charts/waterfall'
import * as causeCopy from '../../copy/cause'
import * as commonCopy from '../../copy/common'
import {
  formatBytesPerSecond,
  formatColumn,
  formatCount,
  formatIops,
  formatLatency,
  formatRate,
  NOT_MEASURED,
} from '../../lib/units'

/** Above it tenths of an I/O say nothing. */
const WHOLE_FROM = 10

const rounded = (value: number) => (value >= WHOLE_FROM ? Math.round(value) : Number(value.toFixed(1)))

const FORMATS: Record<string, (value: number) => string> = {
  IOPS: (value) => formatIops(rounded(value)),
  'I/Os': (value) => formatColumn(rounded(value), 'I/Os'),
  'bytes/s': formatBytesPerSecond,
  bytes: (value) =>
    value < 1024
      ? causeCopy.bytes(formatCount(Math.round(value)))
      : causeCopy.kib(formatCount(Math.round(value / 1024))),
  µs: formatLatency,
  share: shareText,
  count: (value) => formatCount(Math.round(value)),
}

/** A unit that is not known here is written as it comes. */
export function formatCauseNumber(value: number | null, unit: string): string {
  if (value === null) return NOT_MEASURED
  return FORMATS[unit]?.(value) ?? `${formatCount(value)} ${unit}`
}

/** Beside its label: a rate without its unit, which the label names. */
export const formatLabeled = (value: number | null, unit: string): string =>
  value !== null && unit === 'IOPS' ? formatRate(rounded(value)) : formatCauseNumber(value, unit)

/** "≈ 32 I/Os", "0.48 ms (0.41 ms–0.52 ms)". */
export function evidenceText({ value, unit, is_derived, lower, upper }: Cause['evidence'][number]): string {
  const number = formatLabeled(value, unit)
  const text = is_derived ? causeCopy.derived(number) : number
  const range = rangeText(lower, upper, unit)
  return range === '' ? text : causeCopy.withRange(text, range)
}

function rangeText(lower: number | null, upper: number | null, unit: string): string {
  if (lower !== null && upper !== null)
    return commonCopy.range(formatCauseNumber(lower, unit), formatCauseNumber(upper, unit))
  if (lower !== null) return causeCopy.from(formatCauseNumber(lower, unit))
  return upper === null ? '' : causeCopy.upTo(formatCauseNumber(upper, unit))
}

/** Where both numbers have one unit, it stands once. */
const SHARED_UNIT: Record<string, (value: number) => string> = {
  IOPS: (value) => formatRate(rounded(value)),
  'I/Os': (value) => formatCount(rounded(value)),
}

/** "≈ 32 of 32 I/Os (100 %)": what is used, then the limit. */
export function limitText({ used, value, used_share, unit, is_derived }: NonNullable<Cause['limit']>): string {
  const number = SHARED_UNIT[unit]?.(used) ?? formatCauseNumber(used, unit)
  const words = causeCopy.usedOf(is_derived ? causeCopy.derived(number) : number, formatCauseNumber(value, unit))
  return causeCopy.withRange(words, shareText(used_share))
}

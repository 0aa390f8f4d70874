/** What the array's own counters say, beside what was fitted to the counters of both sides. Pure. */

import * as breakdownCopy from '../copy/breakdown'
import { formatLatency } from '../lib/units'
import { COLUMN_TITLES, type WaterfallColumn, waterfallRows, waterfallScale } from './waterfall'

/** Of one direction, µs per I/O; null: not measured. */
export interface Counted {
  direction: WaterfallColumn['direction']
  inside_us: number | null
  port_us: number | null
}

/** Where most I/Os were not timed inside the array, its mean over all of them is of others. */
const MOSTLY = 0.95
const ARRAY = 'array'
const PORT = 'array_port'

/** The same columns with the array's own numbers at its layer and at its port. */
export function withCounted<Column extends WaterfallColumn>(
  columns: readonly Column[],
  counted: readonly Counted[],
): Column[] {
  return columns.map((column) => {
    const own = counted.find(({ direction }) => direction === column.direction)
    const array = column.layers.find(({ name }) => name === ARRAY)
    if (own === undefined || array === undefined || (array.ops_share ?? 1) < MOSTLY) return column
    return {
      ...column,
      layers: column.layers.map((one) => (one === array ? { ...one, counted_us: own.inside_us } : one)),
      parts: column.parts.map((one) => (one.name === PORT ? { ...one, counted_us: own.port_us } : one)),
    }
  })
}

/** "Inside the array: 1.55 ms fitted, 1.60 ms counted": where the two are written differently, as the rows write them. Empty where they agree. */
export function countedWords(columns: readonly WaterfallColumn[]): string {
  const rows = waterfallRows(columns, waterfallScale(columns).scale)
  const places = [
    [breakdownCopy.insideArray, ARRAY, (column: WaterfallColumn) => column.layers.find(({ name }) => name === ARRAY)],
    [breakdownCopy.atPort, `part.${PORT}`, (column: WaterfallColumn) => column.parts.find(({ name }) => name === PORT)],
  ] as const
  return places
    .map(([place, key, find]) => {
      const told = columns.flatMap((column, index) => {
        const words = pairWords(find(column), rows[index]?.find((row) => row.key === key)?.value)
        return words === '' ? [] : [columns.length > 1 ? `${COLUMN_TITLES[column.direction]} ${words}` : words]
      })
      return told.length === 0 ? '' : `${place}: ${told.join('; ')}.`
    })
    .filter((words) => words !== '')
    .join(' ')
}

/** `written`: what stands in its row, if it has one. */
function pairWords(one: { us: number; counted_us?: number | null } | undefined, written?: string): string {
  const counted_us = one?.counted_us ?? null
  if (one === undefined || counted_us === null) return ''
  const [fitted, counted] = [written ?? formatLatency(one.us), formatLatency(counted_us)]
  const isNear = Math.abs(one.us - counted_us) <= Math.max(2, 0.01 * counted_us)
  return isNear || fitted === counted ? '' : breakdownCopy.estimatedReported(fitted, counted)
}

/** What the cursor says at one instant, as plain data; drawing it as text nodes is the Chart component's part. */

import * as chartsCopy from '../copy/charts'
import * as commonCopy from '../copy/common'
import * as countersCopy from '../copy/counters'
import { formatWindow, type Zone } from '../lib/time'
import { formatColumn, formatLatencyIn } from '../lib/units'
import { gapsAt } from './gaps'
import type { Panel, PanelLine } from './panels'
import type { LineColor } from './tokens'

export interface CursorRow {
  key: string
  label: string
  color: LineColor
  shape: PanelLine['shape']
  stroke: PanelLine['stroke']
  /** One text per heading; null where that panel has no such line. */
  values: (string | null)[]
  /** The value of a number that has no direction, such as a queue depth. */
  whole: string | null
}

export interface CursorReading {
  time: string
  /** One column per direction. */
  headings: string[]
  /** Latencies from the outermost boundary inwards, then rates. */
  rows: CursorRow[]
  notes: string[]
}

export interface CursorInput {
  panels: readonly Panel[]
  times_ms: readonly number[]
  step_s: number
  zone: Zone
  events: readonly { at_ms: number; text: string }[]
}

const DIRECTIONS = [
  ['read', commonCopy.read],
  ['write', commonCopy.write],
  ['mirrored_write', countersCopy.mirroredWrite],
] as const

/** The reading at bucket `index`; null where there is none: after a zoom the cursor may still point into the former picture. */
export function cursorReading(input: CursorInput, index: number): CursorReading | null {
  const at_ms = input.times_ms[index]
  if (at_ms === undefined) return null
  const end_ms = at_ms + input.step_s * 1000
  const lines = input.panels.flatMap((panel) => [...panel.lines].reverse().map((line) => ({ line, panel })))
  const columns = DIRECTIONS.filter(([direction]) => lines.some(({ line }) => line.direction === direction))
  const events = input.events.filter((event) => at_ms <= event.at_ms && event.at_ms < end_ms)
  return {
    time: formatWindow(at_ms, end_ms, input.zone),
    headings: columns.map(([, words]) => words),
    rows: rowsOf(
      lines,
      columns.map(([direction]) => direction),
      index,
    ),
    notes: [
      ...gapsAt(input.panels, at_ms, end_ms).map((gap) => (gap.kind === 'few' ? gap.text : chartsCopy.gap(gap.text))),
      ...input.panels.flatMap(({ notes }) => notes?.[index] ?? []),
      ...events.map((event) => event.text),
    ],
  }
}

type Drawn = { line: PanelLine; panel: Panel }

function rowsOf(drawn: readonly Drawn[], directions: readonly string[], index: number): CursorRow[] {
  const keys = [...new Set(drawn.map(({ line }) => line.row))]
  return keys.map((key) => {
    const own = drawn.filter(({ line }) => line.row === key)
    const { label, color, shape, stroke } = (own[0] as Drawn).line
    const values = directions.map((direction) => {
      const found = own.find(({ line }) => line.direction === direction)
      return found ? valueText(found, index) : null
    })
    const undirected = own.find(({ line }) => line.direction === null || line.direction === 'all')
    return { key, label, color, shape, stroke, values, whole: undirected ? valueText(undirected, index) : null }
  })
}

function valueText({ line, panel }: Drawn, index: number): string {
  const value = line.values[index] ?? null
  return line.unit === 'µs' ? formatLatencyIn(value, panel.scale, line.precision) : formatColumn(value, line.unit)
}

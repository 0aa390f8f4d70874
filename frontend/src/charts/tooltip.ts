/** What the cursor says at one instant, as plain data; drawing it as text nodes is the Chart component's part. */

import { formatWindow, type Zone } from '../lib/time'
import { formatColumn, formatLatencyIn } from '../lib/units'
import { gapsAt } from './gaps'
import type { LineColour, Panel, PanelLine } from './panels'

interface CursorRow {
  key: string
  label: string
  colour: LineColour
  shape: PanelLine['shape']
  stroke: PanelLine['stroke']
  /** One text per heading; null where that panel has no such line. */
  values: (string | null)[]
}

export interface CursorReading {
  time: string
  headings: string[]
  /** Latency rows first; their values stand side by side, one column per direction. */
  rows: CursorRow[]
  rates: { label: string; colour: LineColour; stroke: PanelLine['stroke']; value: string }[]
  notes: string[]
}

export interface CursorInput {
  panels: readonly Panel[]
  times_ms: readonly number[]
  step_s: number
  zone: Zone
  events: readonly { at_ms: number; text: string }[]
}

/** The reading at bucket `index`. */
export function cursorReading(input: CursorInput, index: number): CursorReading {
  const at_ms = input.times_ms[index] ?? 0
  const latency = input.panels.filter((panel) => panel.unit === 'µs')
  const rates = input.panels.filter((panel) => panel.unit !== 'µs')
  const events = input.events.filter((event) => Math.abs(event.at_ms - at_ms) < input.step_s * 1000)
  return {
    time: formatWindow(at_ms, at_ms + input.step_s * 1000, input.zone),
    headings: latency.map((panel) => panel.title),
    rows: latencyRows(latency, index),
    rates: rates.flatMap((panel) => panel.lines.map((line) => rateRow(line, index))),
    notes: [...gapsAt(input.panels, at_ms).map((gap) => `Gap: ${gap.text}`), ...events.map((event) => event.text)],
  }
}

/** Outermost boundary first, array service last: the order of the I/O's path. */
function latencyRows(panels: readonly Panel[], index: number): CursorRow[] {
  const keys = [...new Set(panels.flatMap((panel) => [...panel.lines].reverse().map((line) => line.key)))]
  return keys.map((key) => {
    const lines = panels.map((panel) => panel.lines.find((line) => line.key === key))
    const first = lines.find((line) => line !== undefined) as PanelLine
    return {
      key,
      label: first.label,
      colour: first.colour,
      shape: first.shape,
      stroke: first.stroke,
      values: panels.map((panel, column) => {
        const line = lines[column]
        return line ? formatLatencyIn(line.values[index] ?? null, panel.scale) : null
      }),
    }
  })
}

function rateRow(line: PanelLine, index: number): CursorReading['rates'][number] {
  return {
    label: line.label,
    colour: line.colour,
    stroke: line.stroke,
    value: formatColumn(line.values[index] ?? null, line.unit),
  }
}

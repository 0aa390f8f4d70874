/** A chart as a table of its numbers: for screen readers, for copying, and for CSV. */

import * as chartsCopy from '../copy/charts'
import * as commonCopy from '../copy/common'
import type { CsvCell } from '../lib/csv'
import { isoSeconds } from '../lib/range'
import { formatPrecision } from '../lib/units'
import { type ChartEvent, eventTexts } from './events'
import type { Panel } from './panels'
import type { SeriesColumn, SeriesData, SeriesGroup } from './series'
import { levelLabel } from './series'

interface NumbersColumn {
  title: string
  /** Where the number comes from: source, counter, precision. */
  origin: string
  unit: SeriesColumn['unit']
  precision: number | null
  values: readonly (number | null)[]
}

export interface NumbersTable {
  times_ms: readonly number[]
  columns: NumbersColumn[]
  /** What happened, by row; left out where nothing did. */
  events?: readonly string[]
}

/** The same table with what happened beside its numbers. */
export function withEvents(table: NumbersTable, step_s: number, events: readonly ChartEvent[]): NumbersTable {
  const texts = eventTexts(table.times_ms, step_s, events)
  return texts.some((text) => text !== '') ? { ...table, events: texts } : table
}

/** Every column of `groups` that has at least one number. */
export function numbersOf(series: SeriesData, groups: readonly SeriesGroup[]): NumbersTable {
  const columns = groups.flatMap((group) =>
    group.columns
      .filter((column) => column.values.some((value) => value !== null))
      .map((column) => numbersColumn(group, column)),
  )
  return { times_ms: series.times_ms, columns }
}

/** The lines of panels: what is drawn, once each. */
export function numbersOfPanels(times_ms: readonly number[], panels: readonly Panel[], origin: string): NumbersTable {
  const columns = panels.flatMap((panel) => [
    ...[...panel.lines].reverse().map((line) => ({
      title: `${panel.title} · ${line.label}${line.direction === 'write' && panel.id !== 'write' ? chartsCopy.writesSuffix : ''}`,
      origin,
      unit: line.unit,
      precision: line.precision,
      values: line.values,
    })),
    ...(panel.limits ?? []).map(({ value, label }) => ({
      title: `${panel.title} · ${label}`,
      origin: chartsCopy.aSetting,
      unit: panel.unit,
      precision: null,
      values: times_ms.map(() => value),
    })),
  ])
  return { times_ms, columns }
}

function numbersColumn(group: SeriesGroup, column: SeriesColumn): NumbersColumn {
  const where = group.scope === 'part' ? group.entity.name : levelLabel(group.level)
  const sources = group.sources.map((source) => source.name).join(', ')
  return {
    title: `${where} · ${column.label}`,
    origin: chartsCopy.provenance(sources, column.counter, formatPrecision(column.precision, column.unit)),
    unit: column.unit,
    precision: column.precision,
    values: column.values,
  }
}

/** Header and rows for a spreadsheet: raw numbers in the API's own units, UTC times, empty where not measured. */
export function numbersCsv(table: NumbersTable): { header: string[]; rows: CsvCell[][] } {
  return {
    header: [
      commonCopy.timeUtc,
      ...table.columns.map((column) => `${column.title} (${column.unit}) [${column.origin}]`),
      ...(table.events === undefined ? [] : ['events']),
    ],
    rows: table.times_ms.map((at_ms, index) => [
      isoSeconds(at_ms),
      ...table.columns.map((column) => column.values[index] ?? null),
      ...(table.events === undefined ? [] : [table.events[index] || null]),
    ]),
  }
}

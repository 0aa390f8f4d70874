/** What the API answers for one object over time, as far as the charts need it. Null is "not measured" and stays null. */

import * as countersCopy from '../copy/counters'
import type { ColumnUnit } from '../lib/units'

export type Side = 'array' | 'host' | 'guest'

export interface SeriesColumn {
  name: string
  label: string
  /** Its name without the direction, and in words as inside a line. */
  quantity: string
  quantity_label: string
  unit: ColumnUnit
  direction: 'read' | 'write' | 'mirrored_write' | 'all' | null
  counter: string
  precision: number | null
  values: readonly (number | null)[]
}

export interface SeriesGroup {
  side: Side
  level: Level
  scope: 'whole' | 'part'
  entity: { kind: string; id: number; name: string }
  /** Whose it is, as a device is its host's: its name stands before `own_name` in the entity's. */
  owner: { name: string } | null
  own_name: string
  sources: readonly { id: number; name: string }[]
  columns: readonly SeriesColumn[]
}

/** A counter of whole ms says little about an array that answers in 0.3 ms; legends and tables must not hide that. */
export function isCoarse(column: Pick<SeriesColumn, 'unit' | 'precision'>): boolean {
  return column.unit === 'µs' && column.precision !== null && column.precision >= 1000
}

interface SeriesGap {
  source: { kind: string; name: string }
  stream: string
  side: Side
  subject: string | null
  from_at: string
  to_at: string
  reason: string
  state: 'pending_backfill' | 'explained'
}

interface SeriesEvent {
  at: string
  kind: string
  label: string
  text: string
}

export interface SeriesData {
  from_at: string
  to_at: string
  step_s: number
  resolution: 'raw' | '5m' | '1h'
  times_ms: readonly number[]
  groups: readonly SeriesGroup[]
  gaps: readonly SeriesGap[]
  events: readonly SeriesEvent[]
}

/** Where on an I/O's path a group was measured: the hosts time their devices and, further out, their virtual disks; CPU
 *  usage stands beside the path. */
export type Level = 'array' | 'host' | 'disk' | 'guest' | 'cpu'

const LEVEL_WORDS: Record<Level, string> = {
  array: countersCopy.sideArray,
  host: countersCopy.sideHosts,
  disk: countersCopy.sideVirtualDisks,
  guest: countersCopy.sideGuest,
  cpu: countersCopy.sideCpu,
}

export function levelLabel(level: Level): string {
  return LEVEL_WORDS[level]
}

/** True when nothing at all was measured: every value of every column is null. */
export function isUnmeasured(groups: readonly SeriesGroup[]): boolean {
  return groups.every((group) => group.columns.every((column) => column.values.every((value) => value === null)))
}

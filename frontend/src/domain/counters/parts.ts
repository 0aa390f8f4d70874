/** The parts of an object (a datastore's host devices, a VM's disks) and their numbers at one moment. */

import { isCoarse, type Level, type SeriesColumn, type SeriesGroup } from '../../charts/series'

/** Names one part in a URL. */
export function partKey(group: SeriesGroup): string {
  return group.scope === 'part' ? `${group.side}-${group.entity.kind}-${group.entity.id}` : ''
}

/** What the chart draws: the sums, or one chosen part in place of its side's sum. */
export function chosenGroups(groups: readonly SeriesGroup[], part: string): SeriesGroup[] {
  const whole = groups.filter((group) => group.scope === 'whole').sort((a, b) => levelOrder(a) - levelOrder(b))
  const chosen = part === '' ? undefined : groups.find((group) => partKey(group) === part)
  if (chosen === undefined) return whole
  return [...whole.filter((group) => group.level !== chosen.level), chosen]
}

const LEVELS: Level[] = ['array', 'host', 'disk', 'guest', 'cpu']
const levelOrder = (group: SeriesGroup) => LEVELS.indexOf(group.level)

/** The newest bucket in which any of the columns was measured, or null. */
export function newestBucket(groups: readonly SeriesGroup[]): number | null {
  const newest = Math.max(-1, ...groups.flatMap((group) => group.columns.map((column) => lastMeasured(column.values))))
  return newest < 0 ? null : newest
}

export function lastMeasured(values: readonly (number | null)[]): number {
  return values.findLastIndex((value) => value !== null)
}

/** Parts that can stand in one table: the same kind of thing. */
export function partTables(groups: readonly SeriesGroup[]): { kind: string; groups: SeriesGroup[] }[] {
  const parts = groups.filter((group) => group.scope === 'part')
  return [...Map.groupBy(parts, (group) => group.entity.kind)].map(([kind, own]) => ({ kind, groups: own }))
}

/** The columns that at least one part has numbers in, each once, latencies first. */
export function measuredColumns(groups: readonly SeriesGroup[]): SeriesColumn[] {
  const columns = new Map<string, SeriesColumn>()
  for (const column of groups.flatMap((group) => group.columns)) {
    if (!columns.has(column.name) && column.values.some((value) => value !== null)) columns.set(column.name, column)
  }
  return [...columns.values()].sort((a, b) => rank(a) - rank(b))
}

const UNITS: SeriesColumn['unit'][] = ['µs', 'ops/s', 'bytes/s', 'I/Os', 'count', '%']
/** A counter of whole ms stands behind its twin in µs. */
const rank = (column: SeriesColumn) => UNITS.indexOf(column.unit) + (isCoarse(column) ? 0.5 : 0)

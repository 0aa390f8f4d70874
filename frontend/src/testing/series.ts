/** Small series with known numbers, for tests. */

import type { SeriesColumn, SeriesData, SeriesGroup } from '../charts/series'

export const START_MS = Date.UTC(2026, 10, 20, 12, 0, 0)
const STEP_S = 60

type Values = (number | null)[]

export function latencyColumn(name: string, values: Values, precision: number | null = 1): SeriesColumn {
  const direction = name.startsWith('read') ? 'read' : name.startsWith('write') ? 'write' : 'mirrored_write'
  const quantity = name.replace(`${direction}_`, '')
  return {
    name,
    label: name,
    quantity,
    quantity_label: quantity,
    unit: 'µs',
    direction,
    counter: `counter of ${name}`,
    precision,
    values,
  }
}

export function rateColumn(name: string, values: Values): SeriesColumn {
  const direction = name.startsWith('read') ? 'read' : 'write'
  const quantity = name.replace(`${direction}_`, '')
  return {
    name,
    label: name,
    quantity,
    quantity_label: quantity,
    unit: 'ops/s',
    direction,
    counter: `counter of ${name}`,
    precision: 1,
    values,
  }
}

export function group(
  side: SeriesGroup['side'],
  columns: SeriesColumn[],
  part?: { id: number; name: string },
): SeriesGroup {
  const isDisk = columns.some(({ quantity }) => quantity === 'latency_us')
  return {
    side,
    level: side === 'host' && isDisk ? 'disk' : side,
    scope: part ? 'part' : 'whole',
    entity: { kind: part ? 'device' : 'datastore', id: part?.id ?? 1, name: part?.name ?? 'ds-1' },
    owner: null,
    own_name: part?.name ?? 'ds-1',
    sources: [{ id: 1, name: side === 'array' ? 'fa-1' : 'vcenter-a' }],
    columns,
  }
}

export function series(groups: SeriesGroup[], extra: Partial<SeriesData> = {}): SeriesData {
  const length = groups[0]?.columns[0]?.values.length ?? 0
  const times_ms = Array.from({ length }, (_, index) => START_MS + index * STEP_S * 1000)
  return {
    from_at: new Date(START_MS).toISOString(),
    to_at: new Date(START_MS + length * STEP_S * 1000).toISOString(),
    step_s: STEP_S,
    resolution: 'raw',
    times_ms,
    groups,
    gaps: [],
    events: [],
    ...extra,
  }
}

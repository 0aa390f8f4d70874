/** Target ports of an array over time: one panel per port, what it sends and receives against what its link carries. Pure. */

import * as trafficCopy from '../copy/traffic'
import { formatBytesPerSecond, formatColumn, latencyScale } from '../lib/units'
import { reachWith } from './limits'
import type { NumbersTable } from './numbers'
import { type GapBand, niceMax, type Panel, type PanelLine } from './panels'

type Values = readonly (number | null)[]

export interface PortData {
  id: number
  name: string
  /** Bytes per second, one way. */
  line_rate_bytes_per_s: number | null
  received_bytes_per_s: Values
  transmitted_bytes_per_s: Values
  crc_errors: Values
  errors: Values
}

/** More panels than that are no picture any more. */
const MOST_PANELS = 8

const WAYS = ['transmitted', 'received'] as const
type Way = (typeof WAYS)[number]

const WAY_TEXT = {
  transmitted: { legend: trafficCopy.transmitted, label: trafficCopy.transmittedBy, stroke: 'solid' },
  received: { legend: trafficCopy.received, label: trafficCopy.receivedBy, stroke: 'dashed' },
} as const

const highest = (values: Values) => Math.max(0, ...values.map((value) => value ?? 0))
const hasAny = (values: Values) => values.some((value) => value !== null)
const peakOf = (port: PortData) => Math.max(highest(port.received_bytes_per_s), highest(port.transmitted_bytes_per_s))

export const isMeasured = (port: PortData) => WAYS.some((way) => hasAny(port[`${way}_bytes_per_s`]))

/** Those that have a panel, by name: of many, those nearest to what their links carry. */
export function drawnPorts(ports: readonly PortData[]): PortData[] {
  const measured = ports.filter(isMeasured)
  if (measured.length <= MOST_PANELS) return measured
  const fastest = Math.max(1, ...measured.map(({ line_rate_bytes_per_s }) => line_rate_bytes_per_s ?? 0))
  const used = (port: PortData) => peakOf(port) / (port.line_rate_bytes_per_s || fastest)
  const busiest = new Set([...measured].sort((a, b) => used(b) - used(a)).slice(0, MOST_PANELS))
  return measured.filter((port) => busiest.has(port))
}

/** `hidden` holds the keys of lines that the viewer switched off. Ports with links of one speed have one scale. */
export function portPanels(ports: readonly PortData[], gaps: readonly GapBand[], hidden: ReadonlySet<string>): Panel[] {
  const scales = Map.groupBy(ports, ({ line_rate_bytes_per_s }) => line_rate_bytes_per_s)
  return ports.map((port) => {
    const limits = limitsOf(port)
    const alike = scales.get(port.line_rate_bytes_per_s) ?? [port]
    const max = niceMax(reachWith(Math.max(...alike.map(peakOf)), limits), 2)
    return {
      id: `port.${port.id}`,
      title: port.name,
      hint: hintOf(port),
      unit: 'bytes/s',
      weight: 'short',
      lines: WAYS.map((way) => lineOf(port, way)).filter(({ key }) => !hidden.has(key)),
      gaps: [...gaps],
      max,
      scale: latencyScale(0),
      // Far above what was measured it stands in the hint alone.
      limits: limits.filter(({ value }) => value <= max),
    }
  })
}

/** Each way once. */
export const portLegend = (ports: readonly PortData[]): PanelLine[] =>
  ports.slice(0, 1).flatMap((port) => WAYS.map((way) => lineOf(port, way)))

const limitsOf = ({ line_rate_bytes_per_s: rate }: PortData) =>
  rate === null || rate <= 0 ? [] : [{ value: rate, label: trafficCopy.lineRate(formatBytesPerSecond(rate)) }]

function hintOf(port: PortData): string {
  const rate = port.line_rate_bytes_per_s
  const peak = peakOf(port)
  if (rate === null || rate <= 0) return trafficCopy.peakAlone(formatBytesPerSecond(peak))
  return trafficCopy.peakOfLine(formatColumn((100 * peak) / rate, '%'), formatBytesPerSecond(rate))
}

function lineOf(port: PortData, way: Way): PanelLine {
  const { legend, label, stroke } = WAY_TEXT[way]
  return {
    id: `port.${port.id}.${way}`,
    key: `port.${way}`,
    row: `port.${port.id}.${way}`,
    label: label(port.name),
    legend,
    side: 'array',
    shape: 'line',
    stroke,
    color: { layer: 'san' },
    width: 2,
    direction: null,
    unit: 'bytes/s',
    precision: null,
    values: port[`${way}_bytes_per_s`],
  }
}

/** All ports, those without a panel too; errors stand in here alone. */
export function portNumbers(times_ms: readonly number[], ports: readonly PortData[], source: string): NumbersTable {
  const columns = ports.flatMap((port) => {
    const { name, line_rate_bytes_per_s: rate } = port
    return [
      counted(
        trafficCopy.transmittedBy(name),
        source,
        'transmitted_bytes_per_sec',
        'bytes/s',
        port.transmitted_bytes_per_s,
      ),
      counted(trafficCopy.receivedBy(name), source, 'received_bytes_per_sec', 'bytes/s', port.received_bytes_per_s),
      counted(
        trafficCopy.lineRateOf(name),
        source,
        trafficCopy.lineRateCounter,
        'bytes/s',
        times_ms.map(() => rate),
      ),
      counted(trafficCopy.crcErrorsOf(name), source, 'received_crc_errors_per_sec', 'count', port.crc_errors),
      counted(trafficCopy.errorsOf(name), source, 'total_errors_per_sec', 'count', port.errors),
    ]
  })
  return { times_ms, columns: columns.filter(({ values }) => hasAny(values)) }
}

const counted = (title: string, source: string, counter: string, unit: 'bytes/s' | 'count', values: Values) => ({
  title,
  origin: `${source} · ${counter}`,
  unit,
  precision: null,
  values,
})

/** Numbers as people read them. The API speaks µs, per second and bytes; null is "not measured" and never becomes 0. */
import * as unitsCopy from '../copy/units'

export const NOT_MEASURED = unitsCopy.notMeasured

/** How one chart or column writes its latencies: one unit and one number of decimals, so that parts add up. */
export interface LatencyScale {
  unit: 'ms' | 'µs'
  decimals: number
}

const US_PER_MS = 1000
const SWITCH_TO_MS_US = 100

/** Decimals that a number with steps of `precision_us` can carry, in `unit`. */
function decimalsOf(unit: 'ms' | 'µs', precision_us: number | null): number {
  if (precision_us === null || unit === 'µs') return 3
  return Math.max(0, Math.ceil(-Math.log10(precision_us / US_PER_MS)))
}

/** Scale for numbers up to `max_us`: ms from 0.1 ms on, µs below; never finer than the source's own step. */
export function latencyScale(max_us: number, precision_us: number | null = null): LatencyScale {
  if (max_us < SWITCH_TO_MS_US && (precision_us ?? 0) < US_PER_MS) return { unit: 'µs', decimals: 0 }
  const max_ms = max_us / US_PER_MS
  const readable = max_ms < 20 ? 2 : max_ms < 200 ? 1 : 0
  return { unit: 'ms', decimals: Math.min(readable, decimalsOf('ms', precision_us)) }
}

const formatters = new Map<number, Intl.NumberFormat>()

/** 1234.5 → "1,234.5": fixed decimals, grouped by thousands, the same in every browser. */
export function formatFixed(value: number, decimals: number): string {
  let formatter = formatters.get(decimals)
  if (!formatter) {
    formatter = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    formatters.set(decimals, formatter)
  }
  return formatter.format(value)
}

/**
 * A latency in a given scale, with no more decimals than the source's own steps carry. A positive value never reads as zero:
 * "<0.01 ms". Neither does the zero of a ms counter, which says no more than "<1 ms".
 */
export function formatLatencyIn(
  value_us: number | null,
  scale: LatencyScale,
  precision_us: number | null = null,
): string {
  return value_us === null ? NOT_MEASURED : `${formatBareLatency(value_us, scale, precision_us)} ${scale.unit}`
}

/** The same without its unit, for columns whose heading has it. */
export function formatBareLatency(value_us: number, scale: LatencyScale, precision_us: number | null = null): string {
  const value = scale.unit === 'ms' ? value_us / US_PER_MS : value_us
  const decimals = Math.min(scale.decimals, decimalsOf(scale.unit, precision_us))
  const step = 10 ** -decimals
  if (value === 0 && (precision_us ?? 0) < US_PER_MS) return '0'
  const isCoarse = precision_us !== null && precision_us >= US_PER_MS
  if ((value > 0 && value < step / 2) || (value === 0 && isCoarse)) return `<${formatFixed(step, decimals)}`
  return formatFixed(value, decimals)
}

/** What a counter of whole ms may stand for (it rounds or truncates, nobody knows which): [v − ½, v + 1] ms; others are what they say. */
export function counterBounds(value_us: number, precision_us: number | null): [number, number] {
  const step_us = precision_us ?? 0
  return step_us < US_PER_MS ? [value_us, value_us] : [Math.max(0, value_us - step_us / 2), value_us + step_us]
}

/** "0–1 ms", "7.5–9 ms" for a counter of whole ms: a point would compare with numbers that are a thousand times finer. */
export function formatCounter(value_us: number | null, precision_us: number | null): string {
  if (value_us === null || (precision_us ?? 0) < US_PER_MS) return formatLatency(value_us, precision_us)
  const [lower, upper] = counterBounds(value_us, precision_us).map((us) =>
    Number((us / US_PER_MS).toFixed(us < 100 * US_PER_MS ? 1 : 0)).toLocaleString('en-US'),
  )
  return `${lower}–${upper} ms`
}

/** A latency on its own: "0.44 ms", "77 µs", "12.3 ms". */
export function formatLatency(value_us: number | null, precision_us: number | null = null): string {
  if (value_us === null) return NOT_MEASURED
  return formatLatencyIn(value_us, latencyScale(Math.abs(value_us), precision_us), precision_us)
}

const SI = ['', 'k', 'M', 'G', 'T'] as const

function scaled(value: number, base: number): { value: number; step: number } {
  let step = 0
  let rest = Math.abs(value)
  while (rest >= base && step < SI.length - 1) {
    rest /= base
    step += 1
  }
  return { value: Math.sign(value) * rest, step }
}

function threeDigits(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value)) return formatFixed(value, 0)
  return formatFixed(value, size < 10 ? 2 : size < 100 ? 1 : 0)
}

/** "0 IOPS", "0.40 IOPS", "14,200 IOPS", "1.25 M IOPS". Whole numbers up to 100,000: engineers compare them digit by digit. */
export function formatIops(value: number | null): string {
  if (value === null) return NOT_MEASURED
  return `${formatRate(value)} IOPS`
}

/** The number of an I/O rate without its unit, for columns whose heading has it. */
export function formatRate(value: number): string {
  if (value > 0 && value < 0.01) return '<0.01'
  if (value < 100_000) return value < 10 ? threeDigits(value) : formatFixed(value, 0)
  const { value: rest, step } = scaled(value, 1000)
  return `${threeDigits(rest)} ${SI[step]}`
}

/** Throughput in decimal units, as arrays and hosts print it: "1.2 GB/s". */
export function formatBytesPerSecond(value: number | null): string {
  if (value === null) return NOT_MEASURED
  const { value: rest, step } = scaled(value, 1000)
  return `${threeDigits(rest)} ${SI[step]}B/s`
}

/** Capacity in binary units: "4.0 TiB". */
export function formatBytes(value: number | null): string {
  if (value === null) return NOT_MEASURED
  const { value: rest, step } = scaled(value, 1024)
  return step === 0 ? `${rest} B` : `${formatFixed(rest, rest < 10 ? 1 : 0)} ${SI[step]?.toUpperCase()}iB`
}

/** Size on disk in decimal units, as disks are sold and `gavel status` prints it: "38.0 GB". */
export function formatDiskSize(bytes: number): string {
  const { value: rest, step } = scaled(bytes, 1000)
  return step === 0 ? `${formatFixed(rest, 0)} B` : `${threeDigits(rest)} ${SI[step]}B`
}

/** Whether one of these formatters could say no more than "less than": "<0.01 ms". */
export const isOnlyLessThan = (formatted: string): boolean => formatted.startsWith('<')

/** At most so many decimals, none where they say nothing. */
export const formatUpTo = (value: number, decimals: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: decimals })

/** "1,240", or "not measured". */
export function formatCount(value: number | null): string {
  if (value === null) return NOT_MEASURED
  if (value > 0 && value < 0.05) return '<0.1'
  return formatFixed(value, Number.isInteger(value) ? 0 : 1)
}

/** The unit a column of the API is in; % is of the total beside it. */
export type ColumnUnit = 'µs' | 'ops/s' | 'bytes/s' | 'I/Os' | 'count' | '%'

/** One value of an API column, formatted for its unit. */
export function formatColumn(value: number | null, unit: ColumnUnit, precision: number | null = null): string {
  if (value === null) return NOT_MEASURED
  if (unit === 'µs') return formatLatency(value, precision)
  if (unit === 'ops/s') return formatIops(value)
  if (unit === 'bytes/s') return formatBytesPerSecond(value)
  if (unit === '%') return formatPercent(value)
  return unit === 'I/Os' ? `${formatCount(value)} I/Os` : formatCount(value)
}

/** "31 %", "4.2 %": a little is never nothing. */
function formatPercent(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1 %'
  return `${formatFixed(value, value > 0 && value < 9.95 ? 1 : 0)} %`
}

/** "± 0.5 ms" for a number that comes in steps of 1 ms. */
export function formatPrecision(precision: number | null, unit: ColumnUnit): string {
  if (precision === null) return '–'
  if (unit === 'µs')
    return precision >= US_PER_MS ? `${formatCount(precision / US_PER_MS)} ms` : `${formatCount(precision)} µs`
  return `${formatCount(precision)} ${unit}`
}

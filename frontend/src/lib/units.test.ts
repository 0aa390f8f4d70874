import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatBytesPerSecond,
  formatColumn,
  formatCounter,
  formatIops,
  formatLatency,
  formatLatencyIn,
  formatRate,
  latencyScale,
  NOT_MEASURED,
} from './units'

describe('latency', () => {
  it('is written in ms from 0.1 ms on and in µs below', () => {
    expect(formatLatency(77)).toBe('77 µs')
    expect(formatLatency(440)).toBe('0.44 ms')
    expect(formatLatency(10_420)).toBe('10.42 ms')
    expect(formatLatency(123_400)).toBe('123.4 ms')
    expect(formatLatency(1_234_000)).toBe('1,234 ms')
  })

  it('says "not measured" for null and keeps zero a zero', () => {
    expect(formatLatency(null)).toBe(NOT_MEASURED)
    expect(formatLatency(0)).toBe('0 µs')
  })

  it('claims no decimals that the source does not have', () => {
    expect(formatLatency(3_000, 1000)).toBe('3 ms')
    expect(formatLatency(370, 1000)).toBe('<1 ms')
    expect(formatLatencyIn(1_400, latencyScale(2_000), 1000)).toBe('1 ms')
  })

  it('says what a counter of whole ms may stand for where it is compared with finer ones', () => {
    expect(formatCounter(0, 1000)).toBe('0–1 ms')
    expect(formatCounter(1_000, 1000)).toBe('0.5–2 ms')
    expect(formatCounter(8_000, 1000)).toBe('7.5–9 ms')
    expect(formatCounter(1_234_000, 1000)).toBe('1,234–1,235 ms')
    expect(formatCounter(440, 1)).toBe('0.44 ms')
    expect(formatCounter(null, 1000)).toBe(NOT_MEASURED)
  })

  it('does not take the zero of a ms counter for no time at all', () => {
    expect(formatLatency(0, 1000)).toBe('<1 ms')
    expect(formatLatency(0, 1)).toBe('0 µs')
  })

  it('never writes a positive value as zero', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
        (value, max) => {
          expect(formatLatencyIn(value, latencyScale(max))).not.toMatch(/^0[.0]* /)
        },
      ),
    )
  })
})

describe('rates and sizes', () => {
  it('keeps I/O rates comparable digit by digit up to 100,000', () => {
    expect(formatIops(14_200)).toBe('14,200 IOPS')
    expect(formatIops(1_250_000)).toBe('1.25 M IOPS')
    expect(formatIops(0)).toBe('0 IOPS')
    expect(formatIops(null)).toBe(NOT_MEASURED)
    expect(formatRate(0.001)).toBe('<0.01')
  })

  it('writes shares so that a little is never nothing', () => {
    expect([0, 0.01, 4.25, 9.97, 47.2, 100].map((share) => formatColumn(share, '%'))).toEqual([
      '0 %',
      '<0.1 %',
      '4.3 %',
      '10 %',
      '47 %',
      '100 %',
    ])
  })

  it('writes throughput in decimal and capacity in binary units', () => {
    expect(formatBytesPerSecond(1_200_000_000)).toBe('1.20 GB/s')
    expect(formatBytes(4 * 1024 ** 4)).toBe('4.0 TiB')
    expect(formatBytes(null)).toBe(NOT_MEASURED)
  })
})

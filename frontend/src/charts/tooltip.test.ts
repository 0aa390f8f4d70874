import { describe, expect, it } from 'vitest'
import { group, latencyColumn, rateColumn, START_MS, series } from '../testing/series'
import { panelsOf } from './panels'
import { type CursorInput, cursorReading } from './tooltip'

const data = series(
  [
    group('array', [latencyColumn('read_service_us', [300, null]), latencyColumn('write_service_us', [4, 5])]),
    group('host', [latencyColumn('read_gavg_us', [940, 950]), rateColumn('read_iops', [9000, null])]),
  ],
  {
    gaps: [
      {
        source: { kind: 'flasharray', name: '<b>fa</b>' },
        stream: 'array_volume',
        side: 'array',
        subject: null,
        from_at: '2026-11-20T12:01:00Z',
        to_at: '2026-11-20T12:02:00Z',
        reason: 'unreachable',
        state: 'explained',
      },
    ],
  },
)
const panels = panelsOf(data, data.groups, new Set())
const input = {
  panels,
  times_ms: data.times_ms,
  step_s: 60,
  zone: 'utc' as const,
  events: [{ at_ms: START_MS + 5_000, text: 'vm-1 moved' }],
}

/** Where there is one. */
function readingAt(input: CursorInput, index: number) {
  const reading = cursorReading(input, index)
  if (reading === null) throw new Error(`nothing is read at ${index}`)
  return reading
}

describe('the reading at the cursor', () => {
  it('puts the outermost boundary first and reads beside writes, in one scale', () => {
    const reading = readingAt(input, 0)
    expect(reading.headings).toEqual(['Read', 'Write'])
    expect(reading.rows.map((row) => [row.label, ...row.values])).toEqual([
      ['GAVG (guest latency)', '0.94 ms', null],
      ['Array service', '0.30 ms', '<0.01 ms'],
      ['Hosts iops', '9,000 IOPS', null],
    ])
    expect(reading.notes).toEqual(['vm-1 moved'])
  })

  it('says what was not measured, and why', () => {
    const reading = readingAt({ ...input, events: [] }, 1)
    expect(reading.rows.find((row) => row.label === 'Array service')?.values[0]).toBe('not measured')
    expect(reading.notes).toEqual(['Gap: <b>fa</b>: unreachable'])
    expect(reading.rows.find((row) => row.key === 'host.iops')?.values[0]).toBe('not measured')
  })

  it('says nothing of a place where no bucket is, as after a zoom', () => {
    expect(cursorReading(input, 2)).toBeNull()
  })

  it('names the whole bucket with its zone', () => {
    expect(readingAt(input, 0).time).toBe('20 Nov, 12:00 to 12:01 UTC')
  })
})

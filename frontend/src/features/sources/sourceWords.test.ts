import { describe, expect, it } from 'vitest'
import type { RunOut, SourceOut, StreamOut } from '../../api/types'
import {
  broughtWords,
  clockMark,
  hostClocks,
  noGapsWord,
  owedWords,
  runHeading,
  samplesOf,
  samplesPerSecond,
} from './sourceWords'

const clock = (name: string | null, offset_s: number, error_s = 0.003): SourceOut['clocks'][number] => ({
  subject: name === null ? null : `key of ${name}`,
  name,
  offset_s,
  error_s,
  read_at: '2026-11-22T12:00:00Z',
})

const STREAM: StreamOut = {
  stream: 'array_volume',
  interval_s: 30,
  until_at: '2026-11-22T12:00:00Z',
  lag_s: 31,
  samples_per_s: 0.3667,
  last_run_at: '2026-11-22T12:00:04Z',
  last_duration_s: 0.04,
  last_samples: 44,
  last_new_samples: 11,
  open_gaps: 0,
  completed_1h: 0,
  corrected_1h: 0,
}

const LIVE = { state: 'live', streams: [STREAM] } as unknown as SourceOut
const AWAY = { ...STREAM, lag_s: 26 * 60 }
const failing = (...streams: StreamOut[]) => ({ ...LIVE, state: 'failing', streams }) as SourceOut

describe('a source that fails', () => {
  it('says what it owes, and that no gap is booked of it yet', () => {
    const words = owedWords(failing(AWAY), 'utc')
    expect(words).toContain('No data since 12:00:00 UTC (26 min)')
    expect(noGapsWord(failing(AWAY), AWAY)).toBe('none yet')
    expect(owedWords(failing(STREAM, AWAY), 'utc')).toBeNull()
    expect(owedWords({ ...failing(AWAY), state: 'late' }, 'utc')).toBeNull()
  })

  it('tells its last good run from one that failed', () => {
    expect(runHeading(failing(AWAY))).toBe('Last successful run')
    const failed = { ...AWAY, last_samples: null, last_new_samples: null }
    expect(runHeading(failing(failed))).toBe('Last run')
    expect(broughtWords(failed)).toBe('failed')
    expect(runHeading(LIVE)).toBe('Last run')
  })
})

describe('clocks', () => {
  it('are told with their error and whose they are', () => {
    const found = hostClocks([clock(null, -1.45), clock('esx-03', 4.36, 0.005), clock('esx-01', 1.77)])
    expect(found?.words).toBe('+1.77 s ± 3 ms (esx-01) to +4.36 s ± 5 ms (esx-03)')
    expect(hostClocks([clock('esx-01', 1.77)])?.words).toBe('+1.77 s ± 3 ms (esx-01)')
    expect(hostClocks([clock(null, 1)])).toBeNull()
  })

  it('are marked near the limit and beyond it, whichever way they are off', () => {
    expect(hostClocks([clock('esx-01', -4.4), clock('esx-02', 1)])?.mark).toBe('near the 5 s limit')
    expect(clockMark(clock(null, 3.9))).toBeNull()
    expect(clockMark(clock(null, 5.2, 0.5))).toBe('near the 5 s limit')
    expect(clockMark(clock(null, -5.2, 0.1))).toBe('above the 5 s limit')
  })
})

describe('streams and runs', () => {
  it('say what a run read and what of it was new', () => {
    expect(broughtWords(STREAM)).toBe('44 read, 11 new')
    expect(broughtWords({ ...STREAM, last_run_at: null, last_samples: null, last_new_samples: null })).toBeNull()
  })

  it('never say zero for something', () => {
    expect([samplesPerSecond(0), samplesPerSecond(0.01), samplesPerSecond(13.33)]).toEqual(['0.0', '<0.1', '13.3'])
  })

  it('count no samples where none are meant', () => {
    const run = { stream: 'path', samples: 432, error_message: null } as RunOut
    expect(samplesOf(run)).toBe(432)
    expect(samplesOf({ ...run, stream: 'inventory' })).toBeNull()
    expect(samplesOf({ ...run, samples: 0, error_message: 'took longer than 10 s' })).toBeNull()
  })
})

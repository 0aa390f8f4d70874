import { describe, expect, it } from 'vitest'
import type { ArrayTraffic } from '../../api/types'
import { noPorts } from './ArrayTraffic'

const PORT: ArrayTraffic['ports'][number] = {
  id: 5,
  name: 'CT0.FC2',
  line_rate_bytes_per_s: 3_200_000_000,
  received_bytes_per_s: [null],
  transmitted_bytes_per_s: [null],
  crc_errors: [null],
  errors: [null],
}
const TRAFFIC: ArrayTraffic = {
  from_at: '2026-11-20T12:00:00Z',
  to_at: '2026-11-20T13:00:00Z',
  step_s: 3600,
  resolution: 'raw',
  times_ms: [Date.UTC(2026, 10, 20, 12)],
  groups: [],
  gaps: [],
  events: [],
  ports: [PORT],
  ports_kept_from_at: '2026-11-19T00:00:00Z',
  ports_keep_s: 172_800,
}
const gap = (stream: string, reason: string): ArrayTraffic['gaps'][number] => ({
  source: { id: 1, kind: 'flasharray', name: 'fa-1' },
  stream,
  side: 'array',
  subject: null,
  from_at: '2026-11-20T12:00:00Z',
  to_at: '2026-11-20T13:00:00Z',
  reason,
  state: 'explained',
})

describe('the chart of target ports', () => {
  it('is drawn where any port was measured', () => {
    expect(noPorts({ ...TRAFFIC, ports: [PORT, { ...PORT, received_bytes_per_s: [0] }] }, 'utc')).toBeNull()
  })

  it('says that there are none where the array lists none', () => {
    expect(noPorts({ ...TRAFFIC, ports: [] }, 'utc')?.title).toBe('No target ports')
  })

  it('says how long samples are kept where the window is older', () => {
    const older = noPorts({ ...TRAFFIC, ports_kept_from_at: '2026-11-22T13:00:00Z' }, 'utc')
    expect(older?.text).toBe(
      'Samples of target ports are kept for 2 d, without roll-ups, and this window ends before that. Choose one after 22 Nov 2026, 13:00:00 UTC.',
    )
  })

  it('gives the reasons of its own gaps, each once', () => {
    const gaps = [gap('array_port', 'HTTP 403.'), gap('array_wide', 'Timeout.'), gap('array_port', 'HTTP 403.')]
    expect(noPorts({ ...TRAFFIC, gaps }, 'utc')?.text).toBe('HTTP 403.')
  })
})

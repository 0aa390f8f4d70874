import { describe, expect, it } from 'vitest'
import { START_MS } from '../testing/series'
import { environmentLegend, environmentPanels, gapsOfSources } from './environment'
import type { LatencyData } from './latency-stack'

const layer = (name: 'guest' | 'kernel' | 'array', us: (number | null)[]) => {
  return { name, label: name, layers: [name], us, lower_us: us, upper_us: us }
}
const data: LatencyData = {
  times_ms: [0, 1, 2].map((minute) => START_MS + minute * 60_000),
  step_s: 120,
  minutes_there: [2, 0, 1],
  directions: [
    {
      direction: 'all',
      ops: [7_200_000, null, 600_000],
      total_us: [1000, null, 400],
      too_few: [false, false, false],
      layers: [layer('array', [400, null, 400]), layer('guest', [0, null, 0]), layer('kernel', [600, null, 0])],
      parts: [],
    },
  ],
  queues: { outstanding_ios: [], in_flight_ios: [], waiting_ios: [], depth: [], fullest: null },
}

describe('the environment over time', () => {
  it('counts I/Os inside over the minutes that are there', () => {
    const lines = environmentLegend(data)
    expect(lines.map(({ key, values }) => [key, values])).toEqual([
      ['kernel', [36, null, 0]],
      ['array', [24, null, 4]],
      ['total', [60, null, 4]],
    ])
  })

  it('is one panel, in the order of the path, with its gap', () => {
    const panels = environmentPanels(data, { hidden: new Set(), gaps: [] })
    expect(panels.map(({ id, unit }) => [id, unit])).toEqual([['inside', 'I/Os']])
    expect(panels[0]?.max).toBeGreaterThanOrEqual(60)
    expect(panels[0]?.gaps.map(({ text }) => text)).toEqual(['Not analyzed: no diagnosis for these minutes'])
    expect(panels[0]?.lines.map(({ color }) => color)).toEqual([
      { layer: 'kernel_queue' },
      { layer: 'array_service' },
      { ink: 'total' },
    ])
  })

  it('has the gaps of whole sources, not those of single things, and what they do not explain', () => {
    const gap = (subject: string | null, from_at: string, to_at: string) => {
      const source = { kind: 'flasharray', name: 'flash-1' }
      return {
        source,
        stream: 'array_volume',
        side: 'array' as const,
        subject,
        from_at,
        to_at,
        reason: 'It did not answer',
        state: 'explained' as const,
      }
    }
    const [from_at, to_at] = [data.times_ms[1], data.times_ms[2]].map((at_ms) => new Date(at_ms ?? 0).toISOString())
    const gaps = gapsOfSources([gap(null, from_at ?? '', to_at ?? ''), gap('esx-1', from_at ?? '', to_at ?? '')])
    expect(gaps.map(({ text }) => text)).toEqual(['flash-1: It did not answer'])
    const panels = environmentPanels(data, { hidden: new Set(), gaps })
    expect(panels[0]?.gaps.map(({ text }) => text)).toEqual(['flash-1: It did not answer'])
  })

  it('follows what is switched off', () => {
    const [panel] = environmentPanels(data, { hidden: new Set(['kernel', 'total']), gaps: [] })
    expect(panel?.lines.map(({ key }) => key)).toEqual(['array'])
    expect(panel?.max).toBeLessThan(36)
  })
})

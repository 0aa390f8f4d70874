import { describe, expect, it } from 'vitest'
import { START_MS } from '../testing/series'
import { type QueueData, queueLegend, queuePanels } from './queues'
import { cursorReading } from './tooltip'

const NONE = new Set<string>()
const queue = (host: string) => ({ host: { name: host }, device: { name: 'naa.1' } })
const data: QueueData = {
  outstanding_ios: [64, null, 20],
  in_flight_ios: [34, null, 18],
  waiting_ios: [30, null, 0],
  depth: [null, null, null],
  fullest: {
    queues: [queue('esx-1'), queue('esx-2')],
    queue: [1, null, 0],
    in_flight_ios: [32, null, 16],
    waiting_ios: [30, null, 0],
    depth: [32, null, 32],
  },
}

describe('outstanding I/Os against depth', () => {
  it('are told of all queues together and of the fullest one', () => {
    const panels = queuePanels(data, [], NONE)
    expect(panels.map(({ id, unit }) => [id, unit])).toEqual([
      ['queues', 'I/Os'],
      ['fullest', 'I/Os'],
    ])
    expect(panels[1]?.lines.map(({ key, shape, stroke }) => [key, shape, stroke])).toEqual([
      ['in_flight', 'band', 'solid'],
      ['waiting', 'band', 'solid'],
      ['depth', 'line', 'dotted'],
    ])
  })

  it('take no color of a layer for what is in flight: where it is, nobody knows', () => {
    const inFlight = queuePanels(data, [], NONE)[0]?.lines.find(({ key }) => key === 'in_flight')
    expect(inFlight?.color).toEqual({ ink: 'in_flight' })
  })

  it('pile what waits on what is in flight, with the depth as a line that is no part of the pile', () => {
    const [, fullest] = queuePanels(data, [], NONE)
    expect(fullest?.max).toBeGreaterThanOrEqual(62)
    expect(fullest?.max).toBeLessThan(62 + 32)
  })

  it('keep what was not measured apart from an empty queue', () => {
    const values = queuePanels(data, [], NONE)[0]?.lines.find(({ key }) => key === 'waiting')?.values
    expect(values).toEqual([30, null, 0])
  })

  it('name the fullest queue under the cursor', () => {
    const panels = queuePanels(data, [], NONE)
    const input = {
      panels,
      times_ms: [0, 1, 2].map((n) => START_MS + n * 60_000),
      step_s: 60,
      zone: 'utc' as const,
      events: [],
    }
    expect(cursorReading(input, 0)?.notes).toEqual(['Busiest device queue: esx-2, naa.1'])
    expect(cursorReading(input, 1)?.notes).toEqual([])
    const depth = cursorReading(input, 0)?.rows.filter(({ label }) => label.startsWith('Queue depth (DQLEN)'))
    expect(depth?.map(({ label, whole }) => [label, whole])).toEqual([
      ['Queue depth (DQLEN), busiest queue', '32 I/Os'],
    ])
  })

  it('of one queue alone are told once', () => {
    const fullest = { ...(data.fullest as NonNullable<QueueData['fullest']>), queues: [queue('esx-1')] }
    expect(queuePanels({ ...data, fullest }, [], NONE).map(({ id }) => id)).toEqual(['queues'])
    expect(queuePanels({ ...data, fullest: null }, [], NONE).map(({ id }) => id)).toEqual(['queues'])
    const [alone] = queuePanels({ ...data, depth: [64, null, 64], fullest }, [], NONE)
    expect([alone?.hint, alone?.lines.some(({ key }) => key === 'depth')]).toEqual(['against device queue depth', true])
  })

  it('of several queues have no depth together: each queue is one host’s', () => {
    const [together] = queuePanels(data, [], NONE)
    expect(together?.lines.map(({ key }) => key)).not.toContain('depth')
    expect(together?.hint).toBe('active and queued, all device queues')
  })

  it('have no strip where nobody measured them, and no line that is switched off', () => {
    const nothing = {
      ...data,
      outstanding_ios: [null],
      in_flight_ios: [null],
      waiting_ios: [null],
      depth: [null],
      fullest: null,
    }
    expect(queuePanels(nothing, [], NONE)).toEqual([])
    expect(queuePanels(data, [], new Set(['depth']))[1]?.lines.map(({ key }) => key)).not.toContain('depth')
    expect(queueLegend({ ...data, waiting_ios: [0, null, 0] }).map(({ key }) => key)).toEqual([
      'in_flight',
      'outstanding',
      'waiting',
      'depth',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { START_MS } from '../testing/series'
import { type GroupData, groupLegend, groupNumbers, groupPanels } from './group'

const layer = (name: 'guest' | 'kernel' | 'array', ios: (number | null)[], us: (number | null)[]) => {
  return { name, label: name, layers: [name], ios, us }
}
const data: GroupData = {
  times_ms: [0, 1, 2, 3].map((minute) => START_MS + minute * 60_000),
  step_s: 60,
  minutes_there: [1, 0, 1, 1],
  members_there: [20, 0, 12, 20],
  total_ios: [60, null, 4, 0],
  total_us: [1000, null, 400, null],
  layers: [
    layer('array', [24, null, 4, null], [400, null, 400, null]),
    layer('guest', [0, null, 0, null], [0, null, 0, null]),
    layer('kernel', [36, null, 0, null], [600, null, 0, null]),
  ],
}
const all = { hidden: new Set<string>(), gaps: [] }

describe('a group over time', () => {
  it('stacks outstanding I/O and latency in the order of the path, without layers that are nowhere above zero', () => {
    const [inside, latency] = groupPanels(data, all)
    expect([inside?.unit, latency?.unit]).toEqual(['I/Os', 'µs'])
    expect(inside?.lines.map(({ key, values }) => [key, values])).toEqual([
      ['kernel', [36, null, 0, null]],
      ['array', [24, null, 4, null]],
      ['total', [60, null, 4, 0]],
    ])
    expect(latency?.lines.map(({ key, values }) => [key, values[0]])).toEqual([
      ['kernel', 600],
      ['array', 400],
      ['total', 1000],
    ])
    expect(inside?.max).toBeGreaterThanOrEqual(60)
    expect(latency?.max).toBeGreaterThanOrEqual(1000)
    expect(latency?.scale.unit).toBe('ms')
  })

  it('hatches what is missing and veils what lacks some of the VMs', () => {
    const [panel] = groupPanels(data, all)
    expect(panel?.gaps.map(({ kind, text, from_ms }) => [kind, text, (from_ms - START_MS) / 60_000])).toEqual([
      ['gap', 'Not analyzed: no diagnosis for these minutes', 1],
      ['few', 'Some VMs of the group without a diagnosis', 2],
    ])
  })

  it('keeps the reason of a source in place of its own', () => {
    const gap = {
      from_ms: START_MS + 60_000,
      to_ms: START_MS + 120_000,
      side: 'host' as const,
      text: 'vc-1: no answer',
    }
    const [panel] = groupPanels(data, { ...all, gaps: [gap] })
    expect(panel?.gaps.map(({ text }) => text)).toEqual([
      'vc-1: no answer',
      'Some VMs of the group without a diagnosis',
    ])
  })

  it('follows what is switched off, in both panels', () => {
    const panels = groupPanels(data, { ...all, hidden: new Set(['kernel', 'total']) })
    expect(panels.map(({ lines }) => lines.map(({ key }) => key))).toEqual([['array'], ['array']])
    expect(groupLegend(data).map(({ key }) => key)).toEqual(['kernel', 'array', 'total'])
  })

  it('says in its numbers of how many VMs they are', () => {
    const { columns } = groupNumbers(data, groupPanels(data, all))
    expect(columns.map(({ title }) => title)).toEqual([
      'Outstanding I/O · Total',
      'Outstanding I/O · array',
      'Outstanding I/O · kernel',
      'Latency · Total',
      'Latency · array',
      'Latency · kernel',
      'VMs with a diagnosis',
    ])
    expect(columns.at(-1)?.values).toEqual([20, 0, 12, 20])
  })
})

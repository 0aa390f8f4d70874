import { CustomChart, LineChart } from 'echarts/charts'
import { AriaComponent, AxisPointerComponent, GridComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { describe, expect, it } from 'vitest'
import css from '../styles/tokens.css?raw'
import { START_MS } from '../testing/series'
import { bandRuns, outline } from './bands'
import { boundedLayers, type LatencyColumns, type LatencyData, latencyLegend, latencyPanels } from './latency-stack'
import type { ChartLimit } from './limits'
import { numbersOfPanels } from './numbers'
import type { LayerId } from './segments'
import { timePanelsHeight, timePanelsOption } from './timePanels'
import { chartTokens, variablesOf } from './tokens'
import { cursorReading } from './tooltip'

use([LineChart, CustomChart, GridComponent, TooltipComponent, AxisPointerComponent, AriaComponent, SVGRenderer])

const dark = chartTokens(variablesOf(css, 'dark'))
const NONE = new Set<string>()

const bandOf = (name: string, layer: string, us: (number | null)[]) => {
  const layers = layer.split('_') as LayerId[]
  return { name, label: name, layer, layers, is_rest: name.endsWith('_rest'), us }
}

const read: LatencyColumns = {
  direction: 'read',
  ops: [6000, 12, null, 6000],
  total_us: [928, 930, null, 490],
  too_few: [false, true, false, false],
  layers: [],
  parts: [
    bandOf('kernel_san_rest', 'kernel_san', [null, 530, null, null]),
    bandOf('kernel_queue', 'kernel', [438, null, null, 0]),
    bandOf('fabric', 'san', [60, null, null, 60]),
    bandOf('array_port', 'san', [30, null, null, 30]),
    bandOf('array_service', 'array', [400, 400, null, 400]),
  ],
}
const write: LatencyColumns = { ...read, direction: 'write', total_us: [928, 4000, null, 490] }
const all: LatencyColumns = {
  ...read,
  direction: 'all',
  layers: [
    {
      name: 'kernel',
      label: 'Kernel',
      layers: ['kernel'],
      us: [438, null, null, 0],
      lower_us: [200, null, null, 0],
      upper_us: [600, null, null, 100],
    },
  ],
}
const data: LatencyData = {
  times_ms: [0, 1, 2, 3].map((minute) => START_MS + minute * 60_000),
  step_s: 60,
  minutes_there: [1, 1, 0, 1],
  directions: [read, write, all],
  queues: {
    outstanding_ios: [60, null, null, 50],
    in_flight_ios: [50, null, null, 49],
    waiting_ios: [44, null, null, 0],
    depth: [64, null, null, 64],
    fullest: null,
  },
}

const limitsIn = (id: string, limits: readonly ChartLimit[], asShare = false) =>
  latencyPanels(data, { hidden: NONE, gaps: [], bounded: 'kernel', limits, asShare }).find((panel) => panel.id === id)

const panelsOf = (hidden: ReadonlySet<string> = NONE, bounded: string | null = 'kernel', gaps: never[] = []) =>
  latencyPanels(data, { hidden, gaps, bounded })

describe('the stack over time', () => {
  it('puts reads over writes with one scale, rates and one layer’s bounds below', () => {
    const panels = panelsOf()
    expect(panels.map(({ id }) => id)).toEqual(['read', 'write', 'iops', 'queues', 'bounds'])
    expect(panels[0]?.max).toBe(panels[1]?.max)
    expect(panels[0]?.max).toBeGreaterThanOrEqual(4000)
  })

  it('begins with the outermost part at the bottom and ends with the total line', () => {
    const keys = panelsOf()[0]?.lines.map(({ key }) => key)
    expect(keys).toEqual(['kernel_san_rest', 'kernel_queue', 'fabric', 'array_port', 'array_service', 'total'])
    const queues = ['in_flight', 'waiting', 'depth', 'outstanding']
    expect(latencyLegend(data).map(({ key }) => key)).toEqual([...(keys ?? []), ...queues])
  })

  it('shows shares of the total on request, and nothing where there is no total', () => {
    const panels = latencyPanels(data, { hidden: NONE, gaps: [], bounded: 'kernel', asShare: true })
    expect(panels.map(({ id, unit }) => [id, unit])).toEqual([
      ['read', '%'],
      ['write', '%'],
      ['iops', 'ops/s'],
      ['queues', 'I/Os'],
      ['bounds', 'µs'],
    ])
    const [shares] = panels
    expect(shares?.max).toBe(100)
    expect(shares?.lines.map(({ key }) => key)).not.toContain('total')
    const sums = [0, 1, 2, 3].map((at) => shares?.lines.map(({ values }) => values[at] ?? null))
    expect(sums[0]?.reduce<number>((sum, one) => sum + (one ?? 0), 0)).toBeCloseTo(100)
    expect(sums[2]).toEqual([null, null, null, null, null])
    const queue = shares?.lines.find(({ key }) => key === 'kernel_queue')?.values
    expect(queue?.[0]).toBeCloseTo((100 * 438) / 928)
    expect(queue?.[3]).toBe(0)
  })

  it('leaves the room of what is switched off empty in a stack of shares', () => {
    const hidden = new Set(['array_service'])
    const [shares] = latencyPanels(data, { hidden, gaps: [], bounded: null, asShare: true })
    const first = shares?.lines.reduce((sum, { values }) => sum + (values[0] ?? 0), 0)
    expect(first).toBeCloseTo((100 * 528) / 928)
  })

  it('hatches in gray what was not separable', () => {
    expect(panelsOf()[0]?.lines[0]).toMatchObject({ color: { ink: 'gap' }, hatched: true })
  })

  it('leaves out what the viewer switched off, and the scale follows', () => {
    const [panel] = panelsOf(new Set(['total', 'array_service']))
    expect(panel?.lines.map(({ key }) => key)).not.toContain('array_service')
    expect(panel?.max).toBeLessThan(4000)
  })

  it('counts I/Os per second of the minutes that are there', () => {
    const rates = panelsOf().find(({ id }) => id === 'iops')?.lines[0]?.values
    expect(rates).toEqual([100, 0.2, null, 100])
  })

  it('says why a bucket is missing or faint', () => {
    const gaps = panelsOf()[0]?.gaps ?? []
    expect(gaps.map(({ kind, from_ms }) => [kind, (from_ms - START_MS) / 60_000])).toEqual([
      ['gap', 2],
      ['few', 1],
    ])
    const input = { panels: panelsOf(), times_ms: data.times_ms, step_s: 60, zone: 'utc' as const, events: [] }
    expect(cursorReading(input, 2)?.notes).toEqual(['Gap: Not analyzed: no diagnosis for these minutes'])
    expect(cursorReading(input, 1)?.notes).toEqual(['Under 30 I/Os: too few I/Os'])
  })

  it('lets a source’s own gap explain its buckets', () => {
    const gap = { from_ms: START_MS + 120_000, to_ms: START_MS + 180_000, text: 'fa-1: unreachable', side: 'array' }
    const panels = latencyPanels(data, { hidden: NONE, gaps: [gap as never], bounded: null })
    expect(panels[0]?.gaps.filter(({ kind }) => kind !== 'few').map(({ text }) => text)).toEqual(['fa-1: unreachable'])
  })

  it('has bounds only of layers that were measured', () => {
    expect(boundedLayers(data).map(({ name }) => name)).toEqual(['kernel'])
    expect(panelsOf(NONE, 'san').map(({ id }) => id)).not.toContain('bounds')
  })

  it('is drawn in its layers’ colors', () => {
    const panels = panelsOf()
    const chart = init(null, null, { renderer: 'svg', ssr: true, width: 1200, height: timePanelsHeight(panels) })
    const { times_ms, step_s } = data
    const [from_ms, to_ms] = [START_MS, START_MS + 240_000]
    const rest = { events: [], zone: 'utc' as const, tokens: dark, label: 'latency' }
    chart.setOption(timePanelsOption({ times_ms, step_s, from_ms, to_ms, panels, ...rest }))
    const svg = chart.renderToSVGString().toLowerCase()
    chart.dispose()
    for (const layer of ['kernel_queue', 'san', 'array_service'] as const) expect(svg).toContain(dark.fill[layer])
  })
})

describe('bands', () => {
  it('stack only where they were measured, and a bucket without a number breaks them', () => {
    const runs = bandRuns([
      [1, null, 2],
      [3, 4, 5],
    ])
    expect(runs[0]?.map(({ first }) => first)).toEqual([0, 2])
    expect(runs[1]?.[0]).toEqual({ first: 0, bottoms: [1, 0, 2], tops: [4, 4, 7] })
  })

  it('reach from their first bucket’s start to their last one’s end', () => {
    const corners = outline({ first: 0, bottoms: [0, 0], tops: [1, 2] }, [0, 60_000], 60)
    expect(corners[0]).toEqual([0, 1])
    expect(corners[3]).toEqual([120_000, 2])
  })
})

describe('limits', () => {
  const qos: ChartLimit = { panel: 'iops', value: 250, label: 'QoS limit: 250 IOPS' }
  const fires: ChartLimit = { panel: 'bounds', layer: 'kernel', value: 700, label: 'Alert: Kernel surely ≥ 0.70 ms' }

  it('are lines of their own panel with room for them, never a part of its stack', () => {
    const rates = limitsIn('iops', [qos, fires])
    expect(rates?.limits).toEqual([qos])
    expect(rates?.max).toBeGreaterThanOrEqual(250)
    expect(rates?.lines).toEqual(limitsIn('iops', [])?.lines)
    expect(limitsIn('bounds', [qos, fires])?.limits).toEqual([fires])
    expect(limitsIn('bounds', [qos, fires])?.max).toBeGreaterThanOrEqual(700)
    expect(limitsIn('bounds', [{ ...fires, layer: 'san' }])?.limits).toEqual([])
    expect(limitsIn('write', [{ panel: 'write', value: 5000, label: 'slow' }])?.max).toBeGreaterThanOrEqual(5000)
  })

  it('far above what was measured do not press it flat', () => {
    expect(limitsIn('iops', [{ ...qos, value: 100_000 }])?.max).toBe(limitsIn('iops', [])?.max)
  })

  it('of a latency are no lines over shares', () => {
    expect(limitsIn('read', [{ panel: 'read', value: 500, label: 'slow' }], true)?.limits).toEqual([])
  })

  it('are columns among the numbers', () => {
    const panel = limitsIn('iops', [qos])
    const { columns } = numbersOfPanels(data.times_ms, panel === undefined ? [] : [panel], 'diagnosis by Gavel')
    const { title, values, unit } = columns.at(-1) ?? {}
    expect([title, unit, values]).toEqual(['IOPS · QoS limit: 250 IOPS', 'ops/s', [250, 250, 250, 250]])
  })

  it('say what they are at their line, and above the scale that they are above it', () => {
    const draw = (value: number) => {
      const panels = latencyPanels(data, { hidden: NONE, gaps: [], bounded: null, limits: [{ ...qos, value }] })
      const { times_ms, step_s } = data
      const span = { from_ms: START_MS, to_ms: START_MS + 240_000 }
      const chart = init(null, null, { renderer: 'svg', ssr: true, width: 900, height: timePanelsHeight(panels) })
      const input = { times_ms, step_s, ...span, panels, events: [], zone: 'utc' as const, tokens: dark, label: '' }
      chart.setOption(timePanelsOption(input))
      const svg = chart.renderToSVGString()
      chart.dispose()
      return svg
    }
    expect(draw(250)).toContain('>QoS limit: 250 IOPS<')
    expect(draw(250)).toMatch(/stroke-dasharray="10,3,2,3"/)
    expect(draw(100_000)).toContain('>↑ QoS limit: 250 IOPS<')
    expect(draw(100_000)).not.toMatch(/stroke-dasharray="10,3,2,3"/)
  })
})

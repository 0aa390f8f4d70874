import { CustomChart, LineChart } from 'echarts/charts'
import { AriaComponent, AxisPointerComponent, GridComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { describe, expect, it } from 'vitest'
import css from '../styles/tokens.css?raw'
import { group, latencyColumn, rateColumn, START_MS, series } from '../testing/series'
import type { ChartEvent } from './events'
import { panelsOf } from './panels'
import type { SeriesData } from './series'
import { axisLabel, points, shortened, timePanelsHeight, timePanelsOption } from './timePanels'
import { chartTokens, variablesOf } from './tokens'

use([LineChart, CustomChart, GridComponent, TooltipComponent, AxisPointerComponent, AriaComponent, SVGRenderer])

const dark = chartTokens(variablesOf(css, 'dark'))
const light = chartTokens(variablesOf(css, 'light'))

const data = series(
  [
    group('array', [
      latencyColumn('read_service_us', [300, null, 320, 330]),
      latencyColumn('read_san_us', [60, null, 50, 60]),
    ]),
    group('host', [
      latencyColumn('read_gavg_us', [900, 950, 900, 910]),
      rateColumn('read_iops', [9000, 0, 8000, 8100]),
    ]),
  ],
  {
    gaps: [
      {
        source: { kind: 'flasharray', name: 'fa-1' },
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

function optionOf(shown: SeriesData, tokens = dark, events: ChartEvent[] = []) {
  const panels = panelsOf(shown, shown.groups, new Set())
  const input = {
    times_ms: shown.times_ms,
    step_s: shown.step_s,
    from_ms: START_MS,
    to_ms: START_MS + 240_000,
    panels,
    events,
    zone: 'utc' as const,
    tokens,
    label: 'test',
  }
  return { option: timePanelsOption(input), height: timePanelsHeight(panels) }
}

function svgOf(shown: SeriesData, tokens = dark, events: ChartEvent[] = []): string {
  const { option, height } = optionOf(shown, tokens, events)
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 800, height })
  chart.setOption(option)
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

describe('points', () => {
  it('stay null where nothing was measured and zero where zero was measured', () => {
    expect(points([0, 2000, 4000], [5, null, 0], 2)).toEqual([
      { value: [1000, 5], symbol: 'circle', symbolSize: 3 },
      [3000, null],
      { value: [5000, 0], symbol: 'circle', symbolSize: 3 },
    ])
  })

  it('get a dot only where no line could show them', () => {
    expect(points([0, 2000], [5, 6], 2)).toEqual([
      [1000, 5],
      [3000, 6],
    ])
  })
})

describe('the drawing', () => {
  it('draws the layers in their own colors and hatches the gap', () => {
    const svg = svgOf(data)
    expect(svg).toContain(dark.fill.array_service.toLowerCase())
    expect(svg).toContain(dark.fill.san.toLowerCase())
    expect(svg).toContain(dark.ink.gap.toLowerCase())
  })

  it('hatches nothing without a gap', () => {
    expect(svgOf({ ...data, gaps: [] })).not.toContain(dark.ink.gap.toLowerCase())
  })

  it('takes every color from the theme', () => {
    expect(svgOf(data, light)).not.toContain(dark.fill.array_service.toLowerCase())
  })

  it('names the panels and writes latencies in ms with their unit', () => {
    const svg = svgOf(data)
    for (const words of ['Read', 'IOPS', '0.4 ms']) expect(svg).toContain(`>${words}<`)
  })

  it('spans the window that was asked for, not only the part that has data', () => {
    const axes = optionOf(data).option.xAxis as { min: number; max: number }[]
    expect(axes.map(({ min, max }) => [min, max])).toEqual([
      [START_MS, START_MS + 240_000],
      [START_MS, START_MS + 240_000],
    ])
  })

  it('writes what happened beside a line in the color of how bad it is, once, over the first panel', () => {
    const fired: ChartEvent = { at_ms: START_MS + 90_000, text: 'Alert fired', label: 'Queueing fired', tone: 'bad' }
    const svg = svgOf(data, dark, [fired, { ...fired, at_ms: START_MS - 1, label: 'Long ago' }])
    expect(svg.split('>Queueing fired<')).toHaveLength(2)
    expect(svg).toContain(dark.ink.bad.toLowerCase())
    expect(svg).not.toContain('Long ago')
    expect(svgOf(data)).not.toContain(dark.ink.bad.toLowerCase())
  })

  it.each(['bad', 'warn', 'open', 'good', 'calm'] as const)('draws a mark that has a shape for what is %s', (tone) => {
    const marked = svgOf(data, dark, [{ at_ms: START_MS + 90_000, text: 'x', label: 'It happened', tone }])
    const ink = { bad: 'bad', warn: 'warn', open: 'warn', good: 'good', calm: 'muted' } as const
    const drawn = [...marked.matchAll(/<path d="([^"]+)"[^>]* fill="([^"]+)"/g)]
    const mark = drawn.find(([, , fill]) => fill === dark.ink[ink[tone]].toLowerCase())
    // Three corners at least.
    expect(mark?.[1]?.length).toBeGreaterThan(14)
  })

  it('never samples, since that would break the stacks', () => {
    expect(JSON.stringify(optionOf(data).option)).not.toContain('sampling')
  })
})

it('a hint without room loses whole clauses, never half a word', () => {
  const hint = 'reads and writes, op-weighted; the time lies inside the band'
  expect([80, 30, 20, 5].map((room) => shortened(hint, room))).toEqual([
    hint,
    'reads and writes, op-weighted',
    'reads and writes',
    '',
  ])
})

describe('axis numbers', () => {
  it('carry their unit and no needless decimals', () => {
    expect(axisLabel(500, 'µs', 1500)).toBe('0.5 ms')
    expect(axisLabel(60, 'µs', 90)).toBe('60 µs')
    expect(axisLabel(0, 'µs', 90)).toBe('0')
    expect(axisLabel(15_000, 'ops/s', 15_000)).toBe('15k IOPS')
    expect(axisLabel(1.5e8, 'bytes/s', 3e8)).toBe('150 MB/s')
  })
})

describe('tokens', () => {
  it('exist in every theme', () => {
    for (const theme of ['dark', 'light', 'contrast']) {
      const tokens = chartTokens(variablesOf(css, theme))
      for (const color of [
        ...Object.values(tokens.fill),
        ...Object.values(tokens.edge),
        ...Object.values(tokens.ink),
      ]) {
        expect(color).toMatch(/^#[0-9a-f]{6}$/)
      }
    }
  })

  it('never give a layer an alarm color', () => {
    for (const tokens of [dark, light]) {
      expect(Object.values(tokens.fill)).not.toContain(tokens.ink.bad)
      expect(Object.values(tokens.fill)).not.toContain(tokens.ink.warn)
    }
  })
})

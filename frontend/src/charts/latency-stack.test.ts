import { CustomChart, LineChart } from 'echarts/charts'
import {
  AriaComponent,
  AxisPointerComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import css from '../styles/tokens.css?raw'
import { START_MS } from '../testing/series'
import { bandRuns, outline } from './bands'
import { type LatencyColumns, latencyStackHeight, latencyStackOption, latencyStackPanels } from './latency-stack'
import { chartTokens, variablesOf } from './tokens'
import { cursorReading } from './tooltip'

use([
  LineChart,
  CustomChart,
  GridComponent,
  TooltipComponent,
  AxisPointerComponent,
  MarkLineComponent,
  AriaComponent,
  SVGRenderer,
])

const dark = chartTokens(variablesOf(css, 'dark'))
const NONE = new Set<string>()

const read: LatencyColumns = {
  direction: 'read',
  segments: {
    array_service: [400, 400, null, 400],
    array_port: [30, null, null, 30],
    fabric: [60, null, null, 60],
    kernel_queue: [438, null, null, 0],
    guest_queue: [null, null, null, null],
  },
  merged: [{ layers: ['kernel', 'san'], values: [null, 530, null, null] }],
  total: [928, 930, null, 490],
}
const write: LatencyColumns = { ...read, direction: 'write', total: [928, 4000, null, 490] }

const panelsOf = (hidden: ReadonlySet<string> = NONE, directions = [read, write]) =>
  latencyStackPanels({ directions, gaps: [], hidden })

const input = {
  directions: [read, write],
  gaps: [{ from_ms: START_MS + 120_000, to_ms: START_MS + 180_000, text: 'fa-1: unreachable', side: 'array' as const }],
  hidden: NONE,
  strips: [],
  times_ms: [0, 1, 2, 3].map((minute) => START_MS + minute * 60_000),
  step_s: 60,
  from_ms: START_MS,
  to_ms: START_MS + 240_000,
  events: [],
  zone: 'utc' as const,
  tokens: dark,
  label: 'test',
}

describe('the bands of the stack', () => {
  it('follow the path of the I/O from the bottom up, the total last', () => {
    expect(panelsOf()[0]?.lines.map((line) => line.label)).toEqual([
      'Kernel or SAN',
      'Kernel queue',
      'Fabric',
      'Array port',
      'Array service',
      'Total from kernel on',
    ])
  })

  it('leave out what was never measured instead of drawing it as zero', () => {
    expect(panelsOf()[0]?.lines.some((line) => line.key === 'guest_queue')).toBe(false)
  })

  it('are grey and hatched where layers could not be told apart', () => {
    expect(panelsOf()[0]?.lines[0]).toMatchObject({ colour: { ink: 'gap' }, hatched: true, key: 'kernel_san' })
  })

  it('share one scale over reads and writes, which holds the total', () => {
    const [reads, writes] = panelsOf()
    expect(reads?.max).toBe(writes?.max)
    expect(reads?.max).toBeGreaterThanOrEqual(4000)
  })

  it('can be switched off one by one in both directions', () => {
    for (const panel of panelsOf(new Set(['kernel_queue'])))
      expect(panel.lines.map((line) => line.key)).not.toContain('kernel_queue')
  })

  it('say that "all" is op-weighted', () => {
    expect(panelsOf(NONE, [{ ...read, direction: 'all' }])[0]?.hint).toContain('op-weighted')
  })

  it('are read out at the cursor from the total inwards, null as "not measured"', () => {
    const reading = cursorReading({ ...input, panels: panelsOf() }, 1)
    expect(reading.rows.map((row) => [row.label, row.values[0]])).toEqual([
      ['Total from kernel on', '0.93 ms'],
      ['Array service', '0.40 ms'],
      ['Array port', 'not measured'],
      ['Fabric', 'not measured'],
      ['Kernel queue', 'not measured'],
      ['Kernel or SAN', '0.53 ms'],
    ])
  })
})

describe('where a band lies', () => {
  it('is on top of what was measured below it, bucket by bucket', () => {
    expect(
      bandRuns([
        [1, null, 2],
        [10, 10, null],
        [100, 100, 100],
      ]),
    ).toEqual([
      [
        { first: 0, bottoms: [0], tops: [1] },
        { first: 2, bottoms: [0], tops: [2] },
      ],
      [{ first: 0, bottoms: [1, 0], tops: [11, 10] }],
      [{ first: 0, bottoms: [11, 10, 2], tops: [111, 110, 102] }],
    ])
  })

  it('ends with its last bucket, so that a gap is as long as it was', () => {
    const corners = outline({ first: 1, bottoms: [5], tops: [7] }, [0, 60_000, 120_000], 60)
    expect(corners).toEqual([
      [60_000, 7],
      [90_000, 7],
      [120_000, 7],
      [120_000, 5],
      [90_000, 5],
      [60_000, 5],
    ])
  })

  it('adds up to the sum of what was measured, and is absent only where nothing was', () => {
    const value = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null })
    const column = fc.array(value, { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 9 }), (bands) => {
        const runs = bandRuns(bands)
        for (let bucket = 0; bucket < 6; bucket++) {
          const tops = runs.flatMap((own, at) => {
            const run = own.find(({ first, tops }) => first <= bucket && bucket < first + tops.length)
            expect(run === undefined).toBe(bands[at]?.[bucket] === null)
            return run ? [run.tops[bucket - run.first] as number] : []
          })
          const sum = bands.reduce((all, band) => all + (band[bucket] ?? 0), 0)
          expect(Math.max(0, ...tops)).toBe(sum)
        }
      }),
    )
  })
})

describe('the drawing of the stack', () => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 800, height: latencyStackHeight(input) })
  chart.setOption(latencyStackOption(input))
  const svg = chart.renderToSVGString()
  chart.dispose()

  it('has the colours of its segments, the total line and the hatched gap', () => {
    for (const colour of [dark.fill.kernel_queue, dark.fill.array_service, dark.fill.san, dark.ink.total, dark.ink.gap])
      expect(svg).toContain(colour)
  })

  it('names its panels and writes ms on its axis', () => {
    for (const words of ['Read', 'Write', '1.5 ms']) expect(svg).toContain(`>${words}<`)
  })
})

import { CustomChart } from 'echarts/charts'
import { AriaComponent, GridComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { latencyScale } from '../lib/units'
import css from '../styles/tokens.css?raw'
import { SEGMENT_IDS } from './segments'
import { chartTokens, variablesOf } from './tokens'
import {
  type WaterfallColumn,
  type WaterfallPart,
  waterfallHeight,
  waterfallOption,
  waterfallRows,
  waterfallScale,
} from './waterfall'

use([CustomChart, GridComponent, AriaComponent, SVGRenderer])

const light = chartTokens(variablesOf(css, 'light'))
const dark = chartTokens(variablesOf(css, 'dark'))

const part = (
  name: WaterfallPart['part'],
  value_us: number | null,
  rest: Partial<WaterfallPart> = {},
): WaterfallPart => ({
  part: name,
  value_us,
  lower_us: null,
  upper_us: null,
  expected_us: null,
  inferred: false,
  ...rest,
})

// The article's first state: 1.4 ms, of which 0.44 ms are spent before a full device queue.
const found: WaterfallColumn = {
  direction: 'read',
  total_us: 1400,
  total_lower_us: 1395,
  total_upper_us: 1405,
  parts: [
    part('array_service', 400, { lower_us: 398.5, upper_us: 401.5, expected_us: 500 }),
    part('guest_queue', 470, { lower_us: 460, upper_us: 480 }),
    part('kernel_queue', 438, { lower_us: 425, upper_us: 451, expected_us: 0 }),
    part('fabric', 92, { lower_us: 82.5, upper_us: 101.5, expected_us: 100 }),
  ],
}
const MS = latencyScale(1400)

const svgOf = (columns: readonly WaterfallColumn[], stacked = false, tokens = light) => {
  const input = { columns, stacked, tokens, label: 'Where the time went' }
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 1100, height: waterfallHeight(input) })
  chart.setOption(waterfallOption(input))
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

describe('the rows of a waterfall', () => {
  const rows = waterfallRows(found, MS)

  it('begin with the total and then follow the path of the I/O, whatever the order given', () => {
    expect(rows.map((row) => row.label)).toEqual(['Total', 'Guest', 'Kernel queue', 'Fabric', 'Array service'])
  })

  it('begin where the one before ended', () => {
    expect(rows.slice(1).map(({ start_us, end_us }) => [start_us, end_us])).toEqual([
      [0, 470],
      [470, 908],
      [908, 1000],
      [1000, 1400],
    ])
  })

  it('say milliseconds and share', () => {
    expect(rows.map((row) => row.text)).toEqual([
      '1.40 ms ± 0.01 ms',
      '0.47 ms 34 %',
      '0.44 ms 31 %',
      '0.09 ms 7 %',
      '0.40 ms 29 %',
    ])
  })

  it('put bounds and the usual time where the part itself begins', () => {
    expect(rows[2]).toMatchObject({ lower_us: 895, upper_us: 921, expected_us: 470 })
    expect(rows[4]).toMatchObject({ lower_us: 1398.5, upper_us: 1401.5, expected_us: 1500 })
  })

  it('fill the total with all the parts', () => {
    expect(rows[0]?.pieces.map((piece) => piece.end_us)).toEqual([470, 908, 1000, 1400])
  })

  it('say "not measured", never zero, and take no room', () => {
    const [, guest, kernel] = waterfallRows(
      { ...found, parts: [part('guest_queue', null), part('kernel_queue', 438)] },
      MS,
    )
    expect(guest).toMatchObject({ text: 'not measured', start_us: 0, end_us: 0, pieces: [], lower_us: null })
    expect(kernel?.start_us).toBe(0)
  })

  it('write a measured zero as zero', () => {
    const [, kernel] = waterfallRows({ ...found, parts: [part('kernel_queue', 0)] }, MS)
    expect(kernel?.text).toBe('0 ms 0 %')
  })

  it('name layers that could not be told apart, hatched in grey, in their place on the path', () => {
    const rows = waterfallRows(
      { ...found, parts: [part('array_service', 400), part(['kernel', 'san'], 530), part('guest_queue', 470)] },
      MS,
    )
    expect(rows.map((row) => row.label)).toEqual(['Total', 'Guest', 'Kernel or SAN', 'Array service'])
    expect(rows[2]?.pieces[0]).toMatchObject({ colour: { ink: 'gap' }, hatched: true })
  })

  it('leave out the share of a total that nobody measured', () => {
    expect(waterfallRows({ ...found, total_us: null }, MS)[1]?.text).toBe('0.47 ms')
    expect(waterfallRows({ ...found, total_us: null }, MS)[0]?.text).toBe('not measured')
  })

  it('never round a share away or up to the whole', () => {
    const shares = (values: number[]) =>
      waterfallRows(
        { ...found, total_us: 100_000, parts: values.map((value, at) => part(SEGMENT_IDS[at] ?? 'fabric', value)) },
        MS,
      ).map((row) => row.text.split('ms ')[1])
    expect(shares([40, 99_960]).slice(1)).toEqual(['<1 %', '99 %'])
  })

  it('hold every part, each as long as its value', () => {
    const value = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(fc.array(value, { minLength: 9, maxLength: 9 }), (values) => {
        const parts = SEGMENT_IDS.map((segment, at) => part(segment, values[at] ?? null))
        const [, ...rows] = waterfallRows({ ...found, parts }, MS)
        const sum = values.reduce<number>((all, one) => all + (one ?? 0), 0)
        expect(rows.at(-1)?.end_us ?? 0).toBeCloseTo(sum, 3)
        for (const [at, row] of rows.entries()) {
          expect(row.start_us).toBe(at === 0 ? 0 : rows[at - 1]?.end_us)
          expect(row.end_us - row.start_us).toBeCloseTo(values[at] ?? 0, 3)
        }
      }),
    )
  })
})

describe('the drawing of a waterfall', () => {
  const write: WaterfallColumn = { ...found, direction: 'write', total_us: 900, total_upper_us: 2400 }

  it('gives reads and writes one scale that holds every bound', () => {
    expect(waterfallScale([found, write]).max_us).toBeGreaterThanOrEqual(2400)
    const axes = waterfallOption({ columns: [found, write], stacked: false, tokens: light, label: '' }).xAxis
    expect(axes[0]?.max).toBe(axes[1]?.max)
  })

  it('writes its axis in ms, its rows and its numbers', () => {
    const svg = svgOf([found, write])
    for (const words of ['Read', 'Write', '1.40 ms ± 0.01 ms', 'Kernel queue', '0.44 ms 31 %', '1 ms'])
      expect(svg).toContain(`>${words}<`)
  })

  it('takes the colours of the theme', () => {
    expect(svgOf([found])).toContain(light.fill.kernel_queue)
    expect(svgOf([found], false, dark)).toContain(dark.fill.kernel_queue)
    expect(svgOf([found], false, dark)).not.toContain(light.fill.kernel_queue)
  })

  it('is higher where the columns stand under one another', () => {
    const columns = [found, write]
    expect(waterfallHeight({ columns, stacked: true })).toBe(2 * waterfallHeight({ columns, stacked: false }))
  })
})

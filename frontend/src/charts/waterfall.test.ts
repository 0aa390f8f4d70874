import { CustomChart } from 'echarts/charts'
import { AriaComponent, GridComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import css from '../styles/tokens.css?raw'
import { layer, part, readColumn } from '../testing/diagnoses'
import { chartTokens, variablesOf } from './tokens'
import { foldedRows, shareText, stepsThatAddUp, type WaterfallColumn, waterfallRows, waterfallScale } from './waterfall'
import { waterfallCsv } from './waterfallCsv'
import { type WaterfallLayout, waterfallHeight, waterfallOption } from './waterfallOption'

use([CustomChart, GridComponent, AriaComponent, SVGRenderer])

const SCALE = { unit: 'ms', decimals: 2 } as const
const rowsOf = (column: WaterfallColumn) => waterfallRows([column], SCALE)[0] ?? []
const merged: WaterfallColumn = {
  ...readColumn,
  direction: 'write',
  layers: [layer('kernel_san', 530), layer('array', 400)],
  parts: [part('kernel_san_rest', 'kernel_san', 530), part('array_service', 'array', 400)],
}

describe('the rows of a waterfall', () => {
  it('are the total, then the layers in path order, those of several parts followed by them', () => {
    expect(rowsOf(readColumn).map(({ label }) => label)).toEqual([
      'Total',
      'Guest',
      'kernel',
      'kernel_queue',
      'kernel_service',
      'san',
      'array',
    ])
  })

  it('have one hatched part of a kernel whose segments were not separable', () => {
    const rest = { ...part('kernel_rest', 'kernel', 440), is_rest: true, label: 'Kernel, not separable' }
    const rows = rowsOf({ ...readColumn, parts: [rest, ...readColumn.parts.filter((one) => one.layer !== 'kernel')] })
    const own = rows.filter(({ kind, layer }) => kind === 'part' && layer === 'kernel')
    expect(own.map(({ label, value }) => [label, value])).toEqual([['Kernel, not separable', '0.44 ms']])
    const kernel = rows.find(({ key }) => key === 'kernel')
    expect(kernel?.pieces.map(({ hatched, start_us, end_us }) => [hatched, start_us, end_us])).toEqual([[true, 0, 440]])
  })

  it('begin where the layer before ended', () => {
    const layers = rowsOf(readColumn).filter(({ kind }) => kind === 'layer')
    expect(layers.map(({ start_us, end_us }) => [start_us, end_us])).toEqual([
      [0, 0],
      [0, 440],
      [440, 530],
      [530, 930],
    ])
  })

  it('carry bounds and the usual time from where they begin', () => {
    const san = rowsOf(readColumn).find(({ key }) => key === 'san')
    expect(san).toMatchObject({ lower_us: 485, upper_us: 620, baseline_us: 540 })
  })

  it('say a value, its share, and what is above baseline', () => {
    const rows = rowsOf(readColumn)
    const kernel = rows.find(({ key }) => key === 'kernel')
    expect(kernel).toMatchObject({ value: '0.44 ms', share: '47 %', excess: '▲ +0.44 ms', isOver: true })
    expect(rows.find(({ key }) => key === 'array')?.excess).toBe('')
    expect(rows.find(({ key }) => key === 'guest')).toMatchObject({ value: 'not measured', pieces: [] })
  })

  it('are aligned over both columns, also where one merges what the other tells apart', () => {
    const [reads = [], writes = []] = waterfallRows([readColumn, merged], SCALE)
    expect(reads.map(({ key }) => key)).toEqual(writes.map(({ key }) => key))
    expect(writes.find(({ key }) => key === 'kernel')?.value).toBe('not separable')
    expect(reads.find(({ key }) => key === 'kernel_san')?.value).toBe('')
    expect(writes.find(({ key }) => key === 'kernel_san')?.pieces[0]).toMatchObject({
      color: { ink: 'gap' },
      hatched: true,
    })
  })

  it('say why there is nothing', () => {
    const idle = { ...readColumn, state: 'idle' as const, total_us: null, layers: [], parts: [] }
    const [, silent = []] = waterfallRows([readColumn, idle], SCALE)
    expect(silent.map(({ value }) => value)).toEqual(['no I/O', '', '', '', '', '', ''])
  })

  it('fill the total with every piece, without a hole, whatever the numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 4, maxLength: 4 }), (us) => {
        const parts = readColumn.parts.map((one, at) => ({ ...one, us: us[at] ?? 0 }))
        const layers = readColumn.layers.map((one) => {
          const own = parts.filter((each) => each.layer === one.name).reduce((sum, each) => sum + each.us, 0)
          return { ...one, us: own, lower_us: own, upper_us: own }
        })
        const pieces = rowsOf({ ...readColumn, layers, parts })[0]?.pieces ?? []
        let at_us = 0
        for (const piece of pieces) {
          expect(piece.start_us).toBeCloseTo(at_us, 3)
          at_us = piece.end_us
        }
        expect(at_us).toBeCloseTo(
          us.reduce((sum, one) => sum + one, 0),
          3,
        )
      }),
    )
  })
})

describe('numbers that are written', () => {
  const amounts = fc.array(fc.double({ min: 0, max: 1e4, noNaN: true }), { minLength: 1, maxLength: 9 })

  it('add up to the whole that they are parts of, each less than one step off', () => {
    fc.assert(
      fc.property(amounts, (exact) => {
        const whole = Math.round(exact.reduce((sum, one) => sum + one, 0))
        const steps = stepsThatAddUp(exact, whole)
        expect(steps.reduce((sum, one) => sum + one, 0)).toBe(whole)
        for (const [index, one] of exact.entries()) expect(Math.abs((steps[index] ?? 0) - one)).toBeLessThan(1)
      }),
    )
  })

  it('are those of the rows: parts make their layer, layers the total', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 6, max: 1e4, noNaN: true }), { minLength: 4, maxLength: 4 }), (us) => {
        const parts = [
          part('kernel_queue', 'kernel', us[0] ?? 0),
          part('kernel_service', 'kernel', us[1] ?? 0),
          part('array_port', 'san', us[2] ?? 0),
          part('array_service', 'array', us[3] ?? 0),
        ]
        const [kernel, san, array] = [(us[0] ?? 0) + (us[1] ?? 0), us[2] ?? 0, us[3] ?? 0]
        const layers = [layer('kernel', kernel), layer('san', san), layer('array', array)]
        const rows = rowsOf({ ...readColumn, layers, parts, total_us: kernel + san + array, not_measured: [] })
        const steps = (value = '') =>
          value.startsWith('<') ? 0 : Math.round(100 * Number.parseFloat(value.replace(',', '')))
        const sum = (kind: string, of?: string) =>
          rows
            .filter((row) => row.kind === kind && (of === undefined || row.layer === of))
            .reduce((all, row) => all + steps(row.value), 0)
        expect(sum('layer')).toBe(steps(rows[0]?.value))
        expect(sum('part', 'kernel')).toBe(steps(rows.find(({ key }) => key === 'kernel')?.value))
      }),
    )
  })

  it('never say nothing for something', () => {
    const tiny = { ...readColumn, layers: [layer('kernel', 0.4), layer('array', 929.6)], parts: [] }
    expect(rowsOf(tiny).find(({ key }) => key === 'kernel')?.value).toBe('<0.01 ms')
  })
})

it('shares are never rounded to nothing or to all', () => {
  expect([null, 0, 0.004, 0.314, 0.994, 0.995, 89_624 / 89_625, 1, 1.27].map(shareText)).toEqual([
    '',
    '0 %',
    '<1 %',
    '31 %',
    '99 %',
    '100 %',
    '100 %',
    '100 %',
    '127 %',
  ])
})

it('one scale holds every bound of every column', () => {
  expect(waterfallScale([readColumn, merged]).max_us).toBeGreaterThanOrEqual(1330)
})

it('leaves as a spreadsheet with raw numbers, bounds and usual times; what has none is empty', () => {
  const { header, rows } = waterfallCsv([readColumn])
  expect(header.slice(0, 3)).toEqual(['direction', 'segment', 'us'])
  expect(rows[0]).toEqual(['read', 'total', 930, null, null, 600, null, null, null, null])
  expect(rows[1]).toEqual(['read', 'kernel', 440, 220, 880, 0, 440, 120, 0.473, null])
  expect(rows.at(-1)?.slice(0, 4)).toEqual(['read', 'array: array_service', 400, null])
})

describe('what is above baseline', () => {
  const over = (us: number, excess_us: number, excess_lower_us = 0) =>
    rowsOf({ ...readColumn, total_us: us, layers: [layer('kernel', us, { excess_us, excess_lower_us })], parts: [] })[2]

  it('is told by a sign, surely or perhaps, in the picture and in the table alike', () => {
    expect([over(440, 40, 1)?.excess, over(440, 40)?.excess]).toEqual(['▲ +0.04 ms', '+0.04 ms ?'])
  })

  it('is never written as more than what it is a part of', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 900, noNaN: true }), { minLength: 3, maxLength: 3 }), (us) => {
        const layers = (['kernel', 'san', 'array'] as const).map((name, at) =>
          layer(name, us[at] ?? 0, { excess_us: us[at] ?? 0 }),
        )
        const total_us = us.reduce((sum, one) => sum + one, 0)
        for (const row of rowsOf({ ...readColumn, total_us, layers, parts: [], not_measured: [] }).slice(1)) {
          const [value, excess] = [row.value, row.excess].map((text) => Number.parseFloat(text.replace(/[^\d.]/g, '')))
          if (row.excess !== '') expect(excess).toBeLessThanOrEqual(value ?? 0)
        }
      }),
    )
  })

  it('is not written where the layer itself is less than a step', () => {
    expect(over(4, 4)?.excess).toBe('')
  })
})

describe('measurements that contradict each other', () => {
  it('have a last row left of zero with words, told once: they are of reads and writes together', () => {
    const [reads = [], writes = []] = waterfallRows([readColumn, merged], SCALE, 52)
    expect(reads.at(-1)).toMatchObject({
      label: 'Counters inconsistent',
      start_us: -52,
      end_us: 0,
      value: 'by up to 52 µs',
    })
    expect(writes.at(-1)).toMatchObject({ key: 'contradiction', start_us: -0, value: '' })
    expect(waterfallCsv([readColumn], 52).rows.at(-1)?.slice(0, 3)).toEqual([
      'all',
      'counters inconsistent by up to',
      52,
    ])
  })

  it('have no row where there are none', () => {
    for (const none of [null, 0]) {
      expect(waterfallRows([readColumn], SCALE, none)[0]).toHaveLength(rowsOf(readColumn).length)
      expect(waterfallCsv([readColumn], none)).toEqual(waterfallCsv([readColumn]))
    }
  })

  it('are an outlined box that ends where the path begins', () => {
    const { svg } = drawn({ columns: [readColumn, merged], disagreement_us: 52 })
    expect(svg).toContain('by up to 52 µs')
    expect(svg.match(/<path[^>]*fill="none"[^>]*stroke-width="1.5"/g)?.length).toBeGreaterThanOrEqual(1)
  })
})

interface Drawn {
  columns?: readonly WaterfallColumn[]
  layout?: WaterfallLayout
  width?: number
  theme?: string
  named?: string[]
  isCalm?: boolean
  disagreement_us?: number | null
  folded?: ReadonlySet<string>
}

function drawn({
  columns = [readColumn, merged],
  layout = 'wide',
  width = 1200,
  theme = 'dark',
  named = ['kernel'],
  isCalm = false,
  disagreement_us = null,
  folded = new Set(),
}: Drawn) {
  const tokens = chartTokens(variablesOf(css, theme))
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: 900 })
  chart.setOption(waterfallOption({ columns, layout, named, isCalm, disagreement_us, folded, tokens, label: '' }))
  const svg = chart.renderToSVGString()
  chart.dispose()
  return { svg, tokens }
}

/** Every row at its longest. */
const long: WaterfallColumn = {
  ...readColumn,
  layers: readColumn.layers.map((one) => ({ ...one, excess_us: one.us, excess_lower_us: one.us, share: 0.33 })),
}

describe('the drawing', () => {
  it('has the layers’ colors and words in both themes', () => {
    for (const theme of ['dark', 'light']) {
      const { svg, tokens } = drawn({ theme })
      const { kernel_queue, san, array_service } = tokens.fill
      for (const color of [kernel_queue, san, array_service]) expect(svg.toLowerCase()).toContain(color)
      for (const words of ['0.44 ms', '47 %', '▲ +0.44 ms', 'not measured', '0.93 ms']) expect(svg).toContain(words)
    }
  })

  it('drops no word of any row, on a phone, beside each other or wide', () => {
    const views = [
      { layout: 'stacked', width: 300 },
      { layout: 'beside', width: 700 },
      { layout: 'wide', width: 1100 },
    ] as const
    for (const view of views) {
      const { svg } = drawn({ ...view, columns: [long, { ...long, direction: 'write' }] })
      expect(svg.match(/▲ \+0\.\d\d ms/g)).toHaveLength(6)
      expect(svg.match(/33 %/g)).toHaveLength(6)
      for (const { label } of rowsOf(long)) expect(svg).toContain(`>${label}<`)
    }
  })

  it('has bars over most of a phone’s width', () => {
    const { grid, xAxis } = waterfallOption({
      columns: [long],
      layout: 'stacked',
      named: [],
      isCalm: true,
      disagreement_us: null,
      tokens: chartTokens(variablesOf(css, 'dark')),
      label: '',
    })
    expect(xAxis).toHaveLength(1)
    expect(grid).toMatchObject([{ left: 12, right: 12 }])
  })

  it('has nothing in the color of an alarm where no latency is elevated now, named or not', () => {
    const alarm = (isCalm: boolean) => {
      const { svg, tokens } = drawn({ columns: [long], isCalm })
      return svg.toLowerCase().includes(tokens.ink.bad.toLowerCase())
    }
    expect([alarm(false), alarm(true)]).toEqual([true, false])
    expect(drawn({ columns: [long], isCalm: true }).svg).toContain('▲ +0.44 ms')
  })

  it('stands one under the other where there is no room', () => {
    const columns = [readColumn, merged]
    const height = (layout: WaterfallLayout) => waterfallHeight({ columns, layout, disagreement_us: null })
    expect(height('stacked')).toBe(2 * height('beside'))
    expect(drawn({ layout: 'stacked' }).svg).toContain('Write')
  })

  it('tells parts that were not separable from what is inferred or waiting, without color', () => {
    const rest = { ...part('kernel_rest', 'kernel', 440), is_rest: true }
    const dots = (parts: readonly WaterfallColumn['parts'][number][]) =>
      drawn({ columns: [{ ...readColumn, parts }] }).svg.match(/<circle/g)?.length ?? 0
    expect(dots([part('kernel_queue', 'kernel', 440)])).toBe(0)
    expect(dots([rest])).toBeGreaterThan(5)
  })
})

describe('rows that a summary folds into words', () => {
  const small: WaterfallColumn = {
    ...readColumn,
    layers: readColumn.layers.map((one) => (one.name === 'san' ? { ...one, us: 4, lower_us: 3, upper_us: 5 } : one)),
    parts: readColumn.parts.map((one) => (one.name === 'kernel_service' ? { ...one, us: 5 } : one)),
  }

  it('are those under 1 % with their range, and layers without numbers', () => {
    const { keys, small: names, missing } = foldedRows([small], ['kernel'])
    expect([...keys]).toEqual(['guest', 'part.kernel_service', 'san'])
    expect([names, missing]).toEqual([['kernel_service', 'san'], ['Guest']])
  })

  it('are parts that are left alone in a layer that is not named, and where there is little room all parts of such layers', () => {
    const isFolded = (named: string[], layersOnly = false, columns = [small]) =>
      foldedRows(columns, named, layersOnly).keys.has('part.kernel_queue')
    expect([isFolded(['kernel']), isFolded(['array'])]).toEqual([false, true])
    expect([isFolded(['array'], false, [readColumn]), isFolded(['array'], true, [readColumn])]).toEqual([false, true])
    expect(isFolded(['kernel'], true)).toBe(false)
  })

  it('are none that is named, above baseline, possibly larger, or worth it in another column', () => {
    const sanOf = (patch: Partial<WaterfallColumn['layers'][number]>) => ({
      ...small,
      layers: small.layers.map((one) => (one.name === 'san' ? { ...one, ...patch } : one)),
    })
    const isFolded = (columns: WaterfallColumn[], named: string[] = []) => foldedRows(columns, named).keys.has('san')
    expect(isFolded([small])).toBe(true)
    expect(isFolded([small], ['san'])).toBe(false)
    expect(isFolded([sanOf({ upper_us: 40 })])).toBe(false)
    expect(isFolded([sanOf({ us: 8, upper_us: 9, excess_us: 8, excess_lower_us: 7 })])).toBe(true)
    expect(isFolded([sanOf({ us: 8.9, upper_us: 9, excess_us: 15, excess_lower_us: 7 })])).toBe(false)
    expect(isFolded([small, { ...readColumn, direction: 'write' }])).toBe(false)
  })

  it('leave the other rows as they are, and the chart lower', () => {
    const folded = foldedRows([small], ['kernel']).keys
    const height = (given?: ReadonlySet<string>) =>
      waterfallHeight({ columns: [small], layout: 'wide', disagreement_us: null, ...(given ? { folded: given } : {}) })
    expect(height(folded)).toBeLessThan(height())
    const { svg } = drawn({ columns: [small], folded })
    expect(svg).not.toContain('kernel_service')
    expect(svg).toContain('kernel_queue')
  })
})

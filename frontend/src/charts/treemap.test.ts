import { TreemapChart } from 'echarts/charts'
import { AriaComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { describe, expect, it } from 'vitest'
import css from '../styles/tokens.css?raw'
import { chartTokens, variablesOf } from './tokens'
import { contrast, paint, readableOn, STRENGTHS, strengthOf, type Tile, treemapOption } from './treemap'

use([TreemapChart, TooltipComponent, AriaComponent, SVGRenderer])

const themes = ['dark', 'light', 'contrast'] as const
const tokensOf = (theme: (typeof themes)[number]) => chartTokens(variablesOf(css, theme))
const tile = (name: string, more: Partial<Tile> = {}): Tile => {
  return {
    id: name,
    name,
    ios: 10,
    words: 'Kernel, +0.44 ms',
    layers: ['kernel'],
    look: 'confirmed',
    strength: 'most',
    group: null,
    ...more,
  }
}

function drawn(tiles: Tile[], theme: (typeof themes)[number] = 'dark'): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 260 })
  chart.setOption(treemapOption({ tiles, tokens: tokensOf(theme), label: 'the outstanding I/O by layer' }))
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

describe('the treemap', () => {
  it('says name and diagnosis in words on every tile', () => {
    const svg = drawn([tile('sql-01'), tile('calm-02', { words: 'Normal', layers: [], look: 'calm' })])
    for (const words of ['sql-01', 'Kernel, +0.44 ms', 'calm-02', 'Normal']) expect(svg).toContain(words)
  })

  it('puts tiles under their array, whose name is written once above them', () => {
    const on = (id: string) => ({ id, name: `flash-${id}` })
    const svg = drawn([
      tile('sql-01', { group: on('a') }),
      tile('sql-02', { group: on('a') }),
      tile('web-03', { group: on('b') }),
    ])
    for (const name of ['flash-a', 'flash-b', 'sql-01', 'sql-02', 'web-03'])
      expect(svg.split(`>${name}`)).toHaveLength(2)
  })

  it('leaves out the names that would be cut to a letter', () => {
    const svg = drawn([tile('large', { ios: 1000 }), tile('tiny-one', { ios: 5 })])
    expect(svg).toContain('large')
    expect(svg).not.toContain('tiny-one')
  })

  it('draws no tile for what has no I/O', () => {
    expect(drawn([tile('busy'), tile('idle', { ios: 0 })])).not.toContain('idle')
  })

  it('keeps names inert, whatever they contain', () => {
    const svg = drawn([tile('<img src=x>{b|bold}')])
    expect(svg).not.toContain('<img')
    expect(svg).toContain('(b|bold)')
  })

  it('tells how sure a diagnosis is by stripes too, and what names no layer is calm', () => {
    const tokens = tokensOf('dark')
    const looks = (['confirmed', 'likely', 'inconclusive', 'calm'] as const).map((look) =>
      paint({ layers: ['kernel'], look, strength: 'most' }, tokens),
    )
    expect(looks.map(({ stripes }) => stripes !== null)).toEqual([false, true, true, false])
    expect(looks[0]?.fill).toBe(tokens.fill.kernel_queue)
    expect(looks[2]?.fill).toBe(tokens.ink.gap)
    expect(paint({ layers: ['kernel', 'san'], look: 'confirmed', strength: 'most' }, tokens).fill).toBe(tokens.ink.gap)
  })

  it('is stronger the farther it is over what is expected', () => {
    const over = [0.1, 0.6, 1.9, 2, 20].map((times) => strengthOf(times * 500, 500))
    expect(over).toEqual(['little', 'much', 'much', 'most', 'most'])
    expect([strengthOf(40, 0), strengthOf(40, null), strengthOf(null, 500)]).toEqual(['most', 'most', 'little'])
    for (const theme of themes) {
      const tokens = tokensOf(theme)
      const away = STRENGTHS.map((strength) =>
        contrast(paint({ layers: ['array'], look: 'confirmed', strength }, tokens).fill, tokens.ink.card),
      )
      expect(away).toEqual([...away].sort((a, b) => a - b))
      expect(new Set(away).size).toBe(3)
    }
  })

  it('has a plain plate under the words of striped tiles, which leaves their stripes to be seen', () => {
    const plates = (look: Tile['look']) =>
      [
        ...drawn([tile('sql-01', { look })]).matchAll(/<path d="M[\d.]+ [\d.]+l?[^"]*A2 2[^"]*"[^>]*fill="(#\w+)"/g),
      ].map(([, fill]) => fill)
    const { fill, ink } = tokensOf('dark')
    expect(plates('confirmed')).toEqual([])
    expect(plates('likely')).toEqual([fill.kernel_queue, fill.kernel_queue])
    expect(plates('inconclusive')).toEqual([ink.gap, ink.gap])
  })

  it.each(themes)('is readable on every color of the %s theme, however strong', (theme) => {
    const tokens = tokensOf(theme)
    for (const look of ['confirmed', 'inconclusive', 'calm'] as const)
      for (const layer of ['guest', 'kernel', 'san', 'array'] as const)
        for (const strength of STRENGTHS) {
          const { fill } = paint({ layers: [layer], look, strength }, tokens)
          expect(contrast(fill, readableOn(fill)), `${layer} ${look} ${strength}`).toBeGreaterThanOrEqual(4.5)
        }
  })
})

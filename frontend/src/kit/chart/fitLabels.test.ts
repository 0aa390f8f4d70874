import { TreemapChart } from 'echarts/charts'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { expect, it } from 'vitest'
import { chartTokens, variablesOf } from '../../charts/tokens'
import { treemapOption } from '../../charts/treemap'
import css from '../../styles/tokens.css?raw'
import { fitLabels } from './fitLabels'

use([TreemapChart, SVGRenderer])

const tokens = chartTokens(variablesOf(css, 'dark'))
const tile = (name: string, ios: number, group: string) => ({
  id: name,
  name,
  ios,
  words: 'Normal',
  layers: [],
  look: 'calm' as const,
  strength: 'most' as const,
  group: { id: group, name: group },
})

function drawn(width: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: 200 })
  const tiles = [tile('sql', 970, 'flash-large'), tile('web', 30, 'flash-small')]
  chart.setOption(treemapOption({ tiles, tokens, label: 'the outstanding I/O by layer' }))
  chart.renderToSVGString()
  fitLabels(chart, 40)
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

it('the head of a narrow group is left out, not cut to a letter; where it has room it is there', () => {
  const narrow = drawn(600)
  expect(narrow).toContain('flash-large')
  expect(narrow).not.toMatch(/>fl?\w{0,2}</)
  expect(drawn(6000)).toContain('flash-small')
})

it('a diagnosis that does not fit is left out whole, never cut behind its number', () => {
  const words = (width: number, look: 'calm' | 'likely' = 'calm') => {
    const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: 200 })
    const one = {
      ...tile('sql', 970, 'flash-large'),
      look,
      layers: ['kernel' as const],
      words: 'Kernel queue on esx-14, +2.23 ms',
    }
    chart.setOption(treemapOption({ tiles: [one], tokens, label: 'the outstanding I/O by layer' }))
    chart.renderToSVGString()
    fitLabels(chart, 40)
    const svg = chart.renderToSVGString()
    chart.dispose()
    return svg
  }
  expect(words(400)).toContain('+2.23 ms')
  expect(words(160)).toContain('sql')
  expect(words(160)).not.toMatch(/Kernel|…/)
  expect(words(400, 'likely')).toContain('+2.23 ms')
  expect(words(160, 'likely')).toContain('sql')
  expect(words(160, 'likely')).not.toMatch(/Kernel|…/)
})

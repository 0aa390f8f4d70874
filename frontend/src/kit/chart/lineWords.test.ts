import { expect, it } from 'vitest'
import { type LatencyData, latencyLegend } from '../../charts/latency-stack'
import type { LayerId } from '../../charts/segments'
import { chartTokens, variablesOf } from '../../charts/tokens'
import css from '../../styles/tokens.css?raw'
import { drawnWords, lineWord } from './lineWords'

const SEGMENTS: Record<string, readonly string[]> = {
  guest: ['guest_queue', 'guest_rest'],
  kernel: ['hypervisor', 'kernel_queue', 'kernel_service', 'kernel_rest'],
  san: ['fabric', 'array_port', 'san_rest'],
  array: ['array_qos', 'array_queue', 'array_service', 'array_rest'],
}
const parts = Object.entries(SEGMENTS).flatMap(([layer, names]) =>
  names.map((name) => ({
    name,
    label: name,
    layer,
    layers: [layer as LayerId],
    is_rest: name.endsWith('_rest'),
    us: [100],
  })),
)
const data: LatencyData = {
  times_ms: [0],
  step_s: 60,
  minutes_there: [1],
  directions: [
    { direction: 'read', ops: [6000], total_us: [1300], too_few: [false], layers: [], parts },
    { direction: 'all', ops: [6000], total_us: [1300], too_few: [false], layers: [], parts },
  ],
  queues: { outstanding_ios: [60], in_flight_ios: [50], waiting_ios: [44], depth: [64], fullest: null },
}
const legend = latencyLegend(data)

it.each(['dark', 'light'])('no two entries of a legend look the same in the %s theme', (theme) => {
  const tokens = chartTokens(variablesOf(css, theme))
  const looks = legend.map((line) => lineWord(line, tokens)).map(({ color, mark }) => `${color} ${String(mark)}`)
  expect(legend).toHaveLength(parts.length + 5)
  expect(new Set(looks).size).toBe(looks.length)
})

it('lines and fills of one panel differ without their colors where they share one', () => {
  const words = legend.map((line) => lineWord(line, chartTokens(variablesOf(css, 'dark'))))
  const markOf = (label: string) => words.find((one) => one.label.startsWith(label))?.mark
  expect([markOf('Total'), markOf('Virtual disk OIO'), markOf('Queue depth (DQLEN)')]).toEqual([
    'solid',
    'dashed',
    'points',
  ])
  expect([markOf('kernel_queue'), markOf('kernel_rest'), markOf('Queued (QUED)')]).toEqual([
    'fill',
    'dotted',
    'hatched',
  ])
})

it('a picture says which panel an entry is of, and nothing of what is switched off', () => {
  const tokens = chartTokens(variablesOf(css, 'dark'))
  const labels = drawnWords(legend, new Set(['total']), tokens).map(({ label }) => label)
  expect(labels).toContain('Queued (QUED) (Queues)')
  expect(labels.some((label) => label.startsWith('Total'))).toBe(false)
})

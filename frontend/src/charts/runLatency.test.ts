import { expect, it } from 'vitest'
import { START_MS } from '../testing/series'
import type { LatencyColumns } from './latency-stack'
import { numbersOfPanels } from './numbers'
import { held, type RunLatencyData, runGrid, runLegend, runPanels, type ToolColumns } from './runLatency'

const NONE = new Set<string>()
const MINUTE_MS = 60_000

const layer = (name: 'kernel' | 'array', us: (number | null)[]) => ({
  name,
  label: name,
  layers: [name],
  us,
  lower_us: us,
  upper_us: us,
})

const READ: LatencyColumns = {
  direction: 'read',
  ops: [6000, 6000, null],
  total_us: [900, 600, null],
  too_few: [false, false, false],
  layers: [layer('array', [400, 400, null]), layer('kernel', [500, 200, null])],
  parts: [],
}

const logged = (values: (number | null)[], more: Partial<ToolColumns> = {}): ToolColumns => ({
  direction: 'read',
  phase: 'lat',
  grain_s: 20,
  mean_us: values,
  lowest_us: values,
  highest_us: values,
  max_us: values.map(() => null),
  ...more,
})

/** Three minutes of layers; a log of 20 s that begins 10 s into the first. */
const DATA: RunLatencyData = {
  tool: 'fio',
  step_s: 20,
  times_ms: [10, 30, 50, 70].map((second) => START_MS + second * 1000),
  series: [logged([1400, null, 1420, 1000])],
  gavel: {
    from_at: new Date(START_MS).toISOString(),
    to_at: new Date(START_MS + 3 * MINUTE_MS).toISOString(),
    times_ms: [0, 1, 2].map((minute) => START_MS + minute * MINUTE_MS),
    step_s: 60,
    minutes_there: [1, 1, 0],
    directions: [READ, { ...READ, direction: 'write', total_us: [null, null, null], layers: [] }],
    queues: { outstanding_ios: [], in_flight_ios: [], waiting_ios: [], depth: [], fullest: null },
  },
}

it('both sides are on one grid of times, that of the finer', () => {
  const grid = runGrid(DATA)
  expect(grid.step_s).toBe(20)
  expect(grid.times_ms[0]).toBe(START_MS - 10_000)
  expect((grid.times_ms.at(-1) ?? 0) + 20_000).toBeGreaterThanOrEqual(START_MS + 3 * MINUTE_MS)
  const coarse = runGrid({ ...DATA, step_s: 120, times_ms: [START_MS] })
  expect([coarse.step_s, coarse.times_ms.length]).toEqual([60, 3])
  expect(held([7], [START_MS], 120, coarse)).toEqual([7, 7, null])
})

it('layers hold over their minute, and the log keeps its gaps', () => {
  const grid = runGrid(DATA)
  const [panel] = runPanels(DATA, grid, NONE)
  const values = Object.fromEntries((panel?.lines ?? []).map(({ key, values }) => [key, values]))
  expect(values.kernel).toEqual([500, 500, 500, 200, 200, 200, null, null, null, null].slice(0, grid.times_ms.length))
  expect(values.lat?.slice(0, 6)).toEqual([null, 1400, null, 1420, 1000, null])
  expect(panel?.lines.map(({ key, shape }) => [key, shape])).toEqual([
    ['kernel', 'band'],
    ['array', 'band'],
    ['total', 'line'],
    ['lat', 'line'],
  ])
  expect(panel?.max).toBeGreaterThanOrEqual(1420)
})

it('a direction without any latency has no panel', () => {
  expect(runPanels(DATA, runGrid(DATA), NONE).map(({ id }) => id)).toEqual(['read'])
})

it('averages that differ within a bucket show their range', () => {
  const grid = runGrid(DATA)
  expect(runPanels(DATA, grid, NONE)[0]?.bounds).toBeUndefined()
  const series = [logged([1400, 1400, 1400, 1400], { highest_us: [1400, 2900, 1400, 1400] })]
  const [panel] = runPanels({ ...DATA, series }, grid, NONE)
  expect(panel?.bounds?.upper).toContain(2900)
  expect(panel?.max).toBeGreaterThanOrEqual(2900)
})

it('the slowest I/Os have a panel of their own, so that means stay readable', () => {
  const series = [logged([1400, 1400, 1400, 1400], { max_us: [90_000, null, 80_000, null] })]
  const panels = runPanels({ ...DATA, series }, runGrid(DATA), NONE)
  expect(panels.map(({ id }) => id)).toEqual(['read', 'slowest'])
  expect(panels[0]?.max).toBeLessThan(2000)
})

it('lines are switched off by the legend, which names each once', () => {
  const grid = runGrid(DATA)
  expect(runLegend(DATA, grid).map(({ key }) => key)).toEqual(['lat', 'total', 'array', 'kernel'])
  const [panel] = runPanels(DATA, grid, new Set(['total', 'kernel']))
  expect(panel?.lines.map(({ key }) => key)).toEqual(['array', 'lat'])
})

it('the table has every line with its values', () => {
  const grid = runGrid(DATA)
  const { columns } = numbersOfPanels(grid.times_ms, runPanels(DATA, grid, NONE), 'fio 20 s')
  expect(columns.map(({ title }) => title)).toEqual([
    'Read · fio latency',
    'Read · Total of layers',
    'Read · array',
    'Read · kernel',
  ])
})

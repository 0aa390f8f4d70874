// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import type { Occupancy } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { NO_VERDICT, standingMark } from './certainty'
import { LayerBar } from './LayerBar'
import { ios, iosWithin, OccupancyCard } from './OccupancyCard'
import { unbroken } from './unbroken'

const framed = (node: ReactNode) => (
  <PreferencesProvider>
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      {node}
    </MantineProvider>
  </PreferencesProvider>
)
const show = (node: ReactNode) => render(framed(node))

const occupancy: Occupancy = {
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  from_at: '2026-11-20T12:00:00Z',
  to_at: '2026-11-20T12:05:00Z',
  minutes: 5,
  ledger_until_at: '2026-11-20T12:05:00Z',
  resolution: '1m',
  state: 'judged',
  total_ios: 60.04,
  layers: [
    { name: 'kernel_san', label: 'Kernel + SAN', layers: ['kernel', 'san'], ios: 34, lower_ios: 20, upper_ios: 40 },
    { name: 'array', label: 'Array', layers: ['array'], ios: 26, lower_ios: 25.5, upper_ios: 26.5 },
    { name: 'san', label: 'SAN', layers: ['san'], ios: 0.04, lower_ios: 0, upper_ios: 1 },
  ],
  outstanding_ios: null,
  not_measured: ['guest'],
}

it('how sure a verdict is has a word and a shape of its own', () => {
  const judged = (['certain', 'likely', 'undetermined', 'healthy'] as const).map((certainty) =>
    standingMark({ state: 'judged', certainty }),
  )
  expect(new Set(judged.map(({ tone }) => tone)).size).toBe(4)
  expect(judged.map(({ word }) => word)).toEqual(['Certain', 'Likely', 'Undetermined', 'Healthy'])
  expect(standingMark({ state: 'too_few', certainty: 'unknown' })).toEqual({ word: 'Too few I/Os', tone: 'calm' })
})

it('some I/Os are never none', () => {
  expect([0, 0.04, 0.44, 9.96, 31.4, 1234].map(ios)).toEqual(['0', '<0.1', '0.4', '10.0', '31', '1,234'])
})

it('no I/Os that may be some are told by their bound', () => {
  const within = (ios: number, upper_ios: number) => iosWithin({ ios, upper_ios })
  expect([within(0, 5.7), within(0, 0.04), within(0, 0), within(1.9, 6)]).toEqual(['≤ 5.7', '<0.1', '0', '1.9'])
})

it('a number keeps its unit on its line, and names keep their spaces', () => {
  expect(unbroken('Array on a 2: 1.76 of 1.91 ms since 02:10 UTC, < 1 µs over usual')).toBe(
    'Array on a 2: 1.76 of 1.91\u00a0ms since 02:10\u00a0UTC, <\u00a01\u00a0µs over usual',
  )
})

import { layersWords, layerTime } from './layerWords'

describe('where the I/Os are', () => {
  it('is said in numbers, with bounds, and says what is not in it', () => {
    show(<OccupancyCard occupancy={occupancy} />)
    expect(screen.getByText(/60\.0 I\/Os are on their way/)).toBeTruthy()
    expect(screen.getByText('20.0 and 40.0')).toBeTruthy()
    expect(screen.getByText(/Not measured, so not in here: guest/)).toBeTruthy()
  })

  it('has parts that add up to its total as they are written, and none that is written as nothing', () => {
    const layers = occupancy.layers.map((layer, index) => ({ ...layer, ios: [6.46, 41.64, 3.16][index] ?? 0 }))
    const { container, rerender } = show(<OccupancyCard occupancy={{ ...occupancy, total_ios: 51.26, layers }} />)
    const told = () => [...container.querySelectorAll('tbody td:nth-child(2)')].map(({ textContent }) => textContent)
    expect(screen.getByText(/51\.3 I\/Os are on their way/)).toBeTruthy()
    expect(told()).toEqual(['6.5', '41.6', '3.2'])
    const large = occupancy.layers.map((layer, index) => ({ ...layer, ios: [70.3, 49.7, 0.04][index] ?? 0 }))
    rerender(framed(<OccupancyCard occupancy={{ ...occupancy, total_ios: 120.04, layers: large }} />))
    expect(screen.getByText(/120 I\/Os are on their way/)).toBeTruthy()
    expect(told()[2]).toBe('<1')
  })

  it('without any data leaves the reason to the verdict above', () => {
    show(<OccupancyCard occupancy={{ ...occupancy, state: 'no_data', total_ios: null, layers: [] }} />)
    expect(screen.getByText('No data in this window')).toBeTruthy()
    expect(screen.queryByText(NO_VERDICT.no_data)).toBeNull()
  })

  it('says why when there are none', () => {
    show(<OccupancyCard occupancy={{ ...occupancy, state: 'idle', total_ios: null, layers: [] }} />)
    expect(screen.getByText(/No I\/O in this window/)).toBeTruthy()
  })
})

it('a bar of layers hatches what was not told apart and leaves out what is empty', () => {
  const pieces = occupancy.layers.map((layer) => ({ ...layer, size: layer.name === 'san' ? 0 : layer.ios }))
  show(<LayerBar pieces={pieces} max={60} words="34 Kernel + SAN, 26 Array" />)
  const bar = screen.getByRole('img', { name: '34 Kernel + SAN, 26 Array' })
  const [merged, array] = [...bar.children] as HTMLElement[]
  expect(bar.children).toHaveLength(2)
  expect(merged?.dataset.hatched).toBe('true')
  expect(array?.dataset.hatched).toBe('false')
})

describe('how fast a layer is', () => {
  const array = { label: 'Array', measured_us: 400, ops_share: 1 }

  it('is told per I/O that was measured in it, and in which part of the I/Os that was when one side was away', () => {
    expect(layerTime(array)).toBe('0.40 ms')
    expect(layerTime({ ...array, ops_share: 0.96 })).toBe('0.40 ms')
    expect(
      layersWords([
        { label: 'Kernel', measured_us: 90, ops_share: 1 },
        { ...array, ops_share: 0.62 },
      ]),
    ).toBe('Kernel 90 µs, Array 0.40 ms in 62 % of I/Os')
  })
})

import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import fc from 'fast-check'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import type { Occupancy } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { ios, iosWithin } from '../breakdown/ios'
import { OccupancyCard, occupancyCsv, toldOccupancy } from '../breakdown/OccupancyCard'
import { LayerBar } from '../io-path/LayerBar'
import { NO_DIAGNOSIS } from './noDiagnosis'
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

it('some I/Os are never none', () => {
  expect([0, 0.04, 0.44, 9.96, 31.4, 1234].map(ios)).toEqual(['0', '<0.1', '0.4', '10.0', '31', '1,234'])
})

it('no I/Os that may be some are told by their bound', () => {
  const within = (ios: number, upper_ios: number) => iosWithin({ ios, upper_ios })
  expect([within(0, 5.7), within(0, 0.04), within(0, 0), within(1.9, 6)]).toEqual(['≤ 5.7', '<0.1', '0', '1.9'])
})

it('a number keeps its unit on its line, and names keep their spaces', () => {
  expect(unbroken('Array on a 2: 1.76 of 1.91 ms since 02:10 UTC, < 1 µs above baseline')).toBe(
    'Array on a 2: 1.76 of 1.91\u00a0ms since 02:10\u00a0UTC, <\u00a01\u00a0µs above baseline',
  )
})

import { layersWords, layerTime } from '../breakdown/layerWords'

describe('where the I/Os are', () => {
  it('is said in numbers, with bounds, and says what is not in it', () => {
    show(<OccupancyCard occupancy={occupancy} />)
    expect(screen.getByText(/60\.0 outstanding I\/Os/)).toBeTruthy()
    expect(screen.getByText('20.0–40.0')).toBeTruthy()
    expect(screen.getByText(/Not measured, not included: guest/)).toBeTruthy()
  })

  it('has parts that add up to its total as they are written, and none that is written as nothing', () => {
    const layers = occupancy.layers.map((layer, index) => ({ ...layer, ios: [6.46, 41.64, 3.16][index] ?? 0 }))
    const { container, rerender } = show(<OccupancyCard occupancy={{ ...occupancy, total_ios: 51.26, layers }} />)
    const told = () => [...container.querySelectorAll('tbody td:nth-child(2)')].map(({ textContent }) => textContent)
    expect(screen.getByText(/51\.3 outstanding I\/Os/)).toBeTruthy()
    expect(told()).toEqual(['6.5', '41.6', '3.2'])
    const large = occupancy.layers.map((layer, index) => ({ ...layer, ios: [70.3, 49.7, 0.04][index] ?? 0 }))
    rerender(framed(<OccupancyCard occupancy={{ ...occupancy, total_ios: 120.04, layers: large }} />))
    expect(screen.getByText(/120 outstanding I\/Os/)).toBeTruthy()
    expect(told()[2]).toBe('<1')
  })

  const told = (total_ios: number, inside: readonly number[]) =>
    toldOccupancy(
      total_ios,
      inside.map((ios, at) => ({ name: `${at}`, label: `${at}`, layers: [], ios, lower_ios: 0, upper_ios: 2 * ios })),
    )

  it('few I/Os are told in hundredths: parts under a tenth are not summed as nothing', () => {
    const { total, told: layers } = told(0.31, [0.06, 0.08, 0.17])
    expect([total, ...layers.map((one) => one.told)]).toEqual(['0.31', '0.06', '0.08', '0.17'])
    expect(told(0.9951, [0.9951]).told[0]?.told).toBe('1.00')
    expect(told(11.6, [0.06, 3.94, 7.6]).total).toBe('11.6')
  })

  it('as they are written, parts add up to their total', () => {
    const inside = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(inside, (parts) => {
        const { total, told: layers } = told(
          parts.reduce((sum, one) => sum + one, 0),
          parts,
        )
        const number = (text: string) => (text.startsWith('<') ? 0 : Number(text.replaceAll(',', '')))
        const sum = layers.reduce((all, one) => all + number(one.told), 0)
        expect(sum).toBeCloseTo(number(total), 6)
      }),
    )
  })

  it('parts of a total that holds more than they do are rounded by themselves', () => {
    const { total, told: layers } = told(10, [2.04, 3.06])
    expect([total, ...layers.map((one) => one.told)]).toEqual(['10.0', '2.0', '3.1'])
  })

  it('names every layer that has a part of the bar', () => {
    const layers = occupancy.layers.map((layer, index) => ({ ...layer, ios: [7.6, 3.94, 0.06][index] ?? 0 }))
    show(<OccupancyCard occupancy={{ ...occupancy, total_ios: 11.6, layers }} />)
    expect(screen.getByRole('img', { name: '11.6 I/Os: 7.6 Kernel + SAN, 3.9 Array, 0.1 SAN' })).toBeTruthy()
  })

  it('tells a layer that has only a bound apart from the parts that add up', () => {
    const layers = occupancy.layers.map((layer, index) => ({
      ...layer,
      ios: [0, 0.35, 0.28][index] ?? 0,
      upper_ios: 0.5,
    }))
    show(<OccupancyCard occupancy={{ ...occupancy, total_ios: 0.63, layers }} />)
    const words = '0.63 I/Os: 0.35 Array, 0.28 SAN; of these ≤ 0.50 Kernel + SAN'
    expect(screen.getByRole('img', { name: words })).toBeTruthy()
  })

  it('leaves as a spreadsheet with its bounds, and empty where it was not measured', () => {
    const { header, rows } = occupancyCsv(occupancy)
    expect(header).toEqual(['layer', 'ios_inside', 'lower_ios', 'upper_ios'])
    expect(rows[0]).toEqual(['total', 60.04, null, null])
    expect(rows[2]).toEqual(['Kernel + SAN', 34, 20, 40])
    expect(rows.at(-1)).toEqual(['guest', null, null, null])
    show(<OccupancyCard occupancy={occupancy} />)
    for (const name of ['Save as CSV', 'Copy link to this window'])
      expect(screen.getByRole('button', { name })).toBeTruthy()
  })

  it('without any data leaves the reason to the diagnosis above', () => {
    show(<OccupancyCard occupancy={{ ...occupancy, state: 'no_data', total_ios: null, layers: [] }} />)
    expect(screen.getByText('No data in this window')).toBeTruthy()
    expect(screen.queryByText(NO_DIAGNOSIS.no_data)).toBeNull()
  })

  it('says why when there are none', () => {
    show(<OccupancyCard occupancy={{ ...occupancy, state: 'idle', total_ios: null, layers: [] }} />)
    expect(screen.getByText(/No I\/O in this window/)).toBeTruthy()
  })
})

it('a bar of layers hatches what was not separable and leaves out what is empty', () => {
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

import { describe, expect, it } from 'vitest'
import { START_MS } from '../testing/series'
import { drawnPorts, type PortData, portLegend, portNumbers, portPanels } from './ports'
import { cursorReading } from './tooltip'

const NONE = new Set<string>()
const LINE_RATE = 3_200_000_000
const TIMES = [0, 1, 2].map((n) => START_MS + n * 60_000)

const port = (id: number, most: number | null, rate: number | null = LINE_RATE): PortData => ({
  id,
  name: `CT0.FC${id}`,
  line_rate_bytes_per_s: rate,
  transmitted_bytes_per_s: [most === null ? null : most / 2, null, most],
  received_bytes_per_s: [most === null ? null : most / 10, null, null],
  crc_errors: [most === null ? null : 0, null, 3],
  errors: [null, null, null],
})

describe('target ports over time', () => {
  it('have a panel each, with what their link carries as a limit and the peak of the busier way', () => {
    const [full, calm] = portPanels([port(0, 3.1e9), port(1, 3.2e8)], [], NONE)
    expect([full?.title, full?.hint]).toEqual(['CT0.FC0', 'peak 97 % of 3.20 GB/s, one way'])
    expect(full?.limits).toEqual([{ value: LINE_RATE, label: 'Line rate 3.20 GB/s' }])
    expect(full?.max).toBeGreaterThanOrEqual(LINE_RATE)
    expect(calm?.hint).toBe('peak 10 % of 3.20 GB/s, one way')
    // Links of one speed are compared by eye.
    expect(calm?.max).toBe(full?.max)
  })

  it('have the line rate in words alone where it is far above what was measured', () => {
    const [calm] = portPanels([port(0, 3.2e8)], [], NONE)
    expect([calm?.limits, calm?.hint]).toEqual([[], 'peak 10 % of 3.20 GB/s, one way'])
    expect(calm?.max).toBeLessThan(LINE_RATE / 3)
  })

  it('have no limit where the array does not report the speed of the link', () => {
    const [alone] = portPanels([port(0, 3.1e9, null)], [], NONE)
    expect([alone?.limits, alone?.hint]).toEqual([[], 'peak 3.10 GB/s one way, line rate not reported'])
  })

  it('name port and way under the cursor, and nothing is 0 that was not measured', () => {
    const panels = portPanels([port(0, 3.1e9)], [], NONE)
    const read = (index: number) =>
      cursorReading({ panels, times_ms: TIMES, step_s: 60, zone: 'utc', events: [] }, index)?.rows.map((row) => [
        row.label,
        row.whole,
      ])
    expect(read(2)).toEqual([
      ['CT0.FC0 received', 'not measured'],
      ['CT0.FC0 transmitted', '3.10 GB/s'],
    ])
    expect(panels[0]?.lines[0]?.values).toEqual([1.55e9, null, 3.1e9])
  })

  it('are switched off by way, in all panels', () => {
    const panels = portPanels([port(0, 1e9), port(1, 1e9)], [], new Set(['port.received']))
    expect(panels.map(({ lines }) => lines.map(({ key }) => key))).toEqual([['port.transmitted'], ['port.transmitted']])
    expect(portLegend([port(0, 1e9), port(1, 1e9)]).map(({ legend }) => legend)).toEqual(['Transmitted', 'Received'])
  })

  it('are those nearest to what their links carry where there are too many, by name', () => {
    const many = Array.from({ length: 12 }, (_, id) => port(id, 1e6 * (id + 1)))
    const slow = { ...port(20, 1.1e8, 1.25e8), name: 'ETH0' }
    expect(drawnPorts([...many, slow]).map(({ name }) => name)).toEqual([
      ...[5, 6, 7, 8, 9, 10, 11].map((id) => `CT0.FC${id}`),
      'ETH0',
    ])
  })

  it('have no panel without a sample, and only measured columns in the table', () => {
    expect(drawnPorts([port(0, 1e9), port(1, null)]).map(({ id }) => id)).toEqual([0])
    const { columns } = portNumbers(TIMES, [port(0, 1e9), port(1, null)], 'fa-1')
    expect(columns.filter(({ title }) => title.startsWith('CT0.FC0')).map(({ title }) => title)).toEqual([
      'CT0.FC0 transmitted',
      'CT0.FC0 received',
      'CT0.FC0 line rate',
      'CT0.FC0 CRC errors',
    ])
    expect(columns[0]).toMatchObject({ origin: 'fa-1 · transmitted_bytes_per_sec', unit: 'bytes/s' })
  })
})

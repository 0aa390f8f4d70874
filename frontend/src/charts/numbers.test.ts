import { describe, expect, it } from 'vitest'
import { group, latencyColumn, series } from '../testing/series'
import { numbersCsv, numbersOf, withEvents } from './numbers'

const data = series([
  group('array', [latencyColumn('read_service_us', [300, null]), latencyColumn('write_service_us', [null, null])]),
  group('host', [latencyColumn('read_gavg_us', [1000, 0], 1000)], { id: 4, name: 'esx-04' }),
])
const table = numbersOf(data, data.groups)

describe('the numbers of a chart', () => {
  it('have a column for everything that was measured at least once', () => {
    expect(table.columns.map((column) => column.title)).toEqual(['Array · read_service_us', 'esx-04 · read_gavg_us'])
  })

  it('say source, counter and precision', () => {
    expect(table.columns[1]?.origin).toBe('vcenter-a · counter of read_gavg_us · resolution 1 ms')
  })

  it('have what happened beside them, only where something did', () => {
    const at = (instant: string) => [
      { at_ms: Date.parse(instant), text: 'esx-1: path dead', label: 'path', tone: 'calm' as const },
    ]
    expect(withEvents(table, 60, at('2026-11-20T13:00:00Z'))).toBe(table)
    const { header, rows } = numbersCsv(withEvents(table, 60, at('2026-11-20T12:01:30Z')))
    expect(header.at(-1)).toBe('events')
    expect(rows.map((row) => row.at(-1))).toEqual([null, 'esx-1: path dead'])
  })

  it('go into a spreadsheet raw, in UTC, empty where not measured', () => {
    expect(numbersCsv(table).rows).toEqual([
      ['2026-11-20T12:00:00Z', 300, 1000],
      ['2026-11-20T12:01:00Z', null, 0],
    ])
  })
})

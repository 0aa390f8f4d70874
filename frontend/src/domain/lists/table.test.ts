import { describe, expect, it } from 'vitest'
import { parseSort, sortText } from '../../kit/table/sort'
import { pageOffsets, rowsByPosition } from './useServerRows'

describe('sorting', () => {
  it('begins names at A and numbers at the largest, and turns around at the second click', () => {
    expect(sortText('name', null)).toBe('name')
    expect(sortText('latency', parseSort('name'))).toBe('-latency')
    expect(sortText('latency', parseSort('-latency'))).toBe('latency')
    expect(parseSort('')).toBeNull()
  })
})

describe('server paging', () => {
  it('reads every page that is in sight', () => {
    expect(pageOffsets(0, 30, 100)).toEqual([0])
    expect(pageOffsets(95, 130, 100)).toEqual([0, 100])
    expect(pageOffsets(1950, 1999, 100)).toEqual([1900])
  })

  it('puts rows where their own page says they belong', () => {
    const rows = rowsByPosition([{ items: ['c', 'd'], total: 4, limit: 2, offset: 2 }, undefined])
    expect([rows.get(0), rows.get(2), rows.get(3)]).toEqual([undefined, 'c', 'd'])
  })
})

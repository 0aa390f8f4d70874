import { describe, expect, it } from 'vitest'
import { addressProblems, choice, number, text } from './parameters'

const TAB = choice('tab', ['summary', 'path'], 'summary')
const PAGE = [TAB, text('q'), number('channel')]
const found = (search: Record<string, string>) => addressProblems(search, PAGE).map(({ name, takes }) => [name, takes])

describe('parameters of an address', () => {
  it('known ones with values of theirs are no problem', () => {
    expect(found({})).toEqual([])
    expect(found({ tab: 'path', q: 'a&b <x>', channel: '7', last: '7d' })).toEqual([])
    expect(found({ from: '2026-11-20T12:00:00Z', to: '2026-11-20T13:00:00Z' })).toEqual([])
  })

  it('unknown ones, and values that a parameter does not take, are named with what it takes', () => {
    expect(found({ range: '7d', tab: 'raw' })).toEqual([
      ['range', null],
      ['tab', 'summary, path'],
    ])
    expect(found({ from: '-7y', to: 'today' }).map(([name]) => name)).toEqual(['from', 'to'])
    expect(found({ from: '-7d', to: 'now' })).toEqual([])
    expect(found({ channel: '-1' })).toEqual([['channel', 'a number']])
    expect(found({ q: 'x'.repeat(500) })).toHaveLength(1)
  })

  it('half a range, one that ends before it starts, and two at once are named', () => {
    expect(found({ from: '2026-11-20T12:00:00Z' })).toHaveLength(1)
    expect(found({ from: '2026-11-20T12:00:00Z', to: '2026-11-20T11:00:00Z' })).toHaveLength(1)
    expect(found({ last: '1h', from: '2026-11-20T12:00:00Z', to: '2026-11-20T13:00:00Z' })).toHaveLength(1)
  })

  it('what cannot be read is not shown', () => {
    expect(TAB.parse('raw')).toBeUndefined()
    expect(TAB.parse('path')).toBe('path')
  })
})

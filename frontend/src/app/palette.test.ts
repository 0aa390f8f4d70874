import { describe, expect, it } from 'vitest'
import { commandsFor } from './palette'

const NOW = Date.parse('2026-11-21T14:05:20Z')
const addresses = (text: string) =>
  commandsFor(text, NOW, 'utc').map((one) => (one.kind === 'page' ? one.address : one.kind))

describe('palette', () => {
  it('finds pages by a part of their title, and none that needs an object', () => {
    expect(addresses('find')).toEqual(['/findings'])
    expect(addresses('SILENCES')).toEqual(['/alerts/silences'])
    expect(addresses('wall')).toEqual(['/wall/environment'])
    expect(addresses('group')).toEqual(['/groups'])
  })

  it('takes a typed time range before all else', () => {
    expect(addresses('yesterday 21:00-21:30')).toEqual(['range'])
  })

  it('offers settings of the browser and what a press opens, the latter only to those who may change it', () => {
    const titles = (text: string, canChange: boolean) =>
      commandsFor(text, NOW, 'utc', canChange).flatMap((one) => ('title' in one ? [one.title] : []))
    expect(titles('dark', false)).toEqual(['Theme: Dark'])
    expect(titles('time zone', false)).toEqual(['Time zone: UTC', 'Time zone: Your zone'])
    expect(titles('add source', true)).toEqual(['Add source'])
    expect(titles('add source', false)).toEqual([])
  })

  it('has nothing for no text and for names', () => {
    expect(addresses(' ')).toEqual([])
    expect(addresses('sql-01')).toEqual([])
  })
})

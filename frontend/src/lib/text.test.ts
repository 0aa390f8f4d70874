import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partsForCut, plural, splitForMiddle, streamName, visibleName } from './text'

describe('names from outside', () => {
  it('loses nothing when it is split for the middle', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
        const { head, tail } = splitForMiddle(name)
        expect(head + tail).toBe(name)
      }),
    )
  })

  it('keeps its end even where it is short, since that is where names differ', () => {
    expect(splitForMiddle('erp-app-01-0010')).toEqual({ head: 'erp-app-', tail: '01-0010' })
    expect(splitForMiddle('sql-01')).toEqual({ head: 'sql-01', tail: '' })
  })

  it('gives up the domain of a host before its number', () => {
    expect(partsForCut('esx-11.lab.example')).toEqual({ head: 'esx-11', tail: '', domain: '.lab.example' })
    expect(partsForCut('prod-esx-0042.lab.example')).toEqual({
      head: 'prod-es',
      tail: 'x-0042',
      domain: '.lab.example',
    })
    for (const name of ['10.20.30.40', 'sql-data.2026-01', 'a name. With words', '.example'])
      expect(partsForCut(name)).toEqual({ ...splitForMiddle(name), domain: '' })
  })

  it('is not split inside an emoji', () => {
    const family = '👩‍👩‍👧‍👦'
    expect(splitForMiddle(family.repeat(30)).tail).toBe(family.repeat(10))
  })

  it('shows what would otherwise rearrange the line', () => {
    expect(visibleName('a\u202Egpj.exe')).toBe('a�gpj.exe')
    expect(visibleName('two\nlines')).toBe('two␊lines')
    expect(visibleName('日本語 🙂 ds')).toBe('日本語 🙂 ds')
  })

  it('counts in words', () => {
    expect([plural(1, 'host'), plural(2000, 'host'), plural(0, 'I/O', 'I/Os')]).toEqual([
      '1 host',
      '2,000 hosts',
      '0 I/Os',
    ])
  })
})

it('streams are told in the field’s words', () => {
  expect(['array_volume', 'vm_disk', 'path'].map(streamName)).toEqual(['array volume', 'VM disk', 'path'])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactly, holdsFor, isEverything, matchersOf, matchersWords } from './matchers'

describe('matchers', () => {
  it('made from an alert hold for its rule and object only, whatever characters their names have', () => {
    const labels = { rule: 'kernel_queueing', kind: 'datastore', object: 'ds [old] *?', array: 'fa-1' }
    expect(matchersOf({ labels })).toEqual([
      { label: 'rule', pattern: 'kernel_queueing', negated: false },
      { label: 'kind', pattern: 'datastore', negated: false },
      { label: 'object', pattern: 'ds [[]old] [*][?]', negated: false },
    ])
    expect(exactly('a[b')).toBe('a[[]b')
  })

  it('leave out labels that an alert does not have', () => {
    expect(matchersOf({ labels: { rule: 'source_silent' } })).toHaveLength(1)
  })

  it('read as a sentence, and none means everything', () => {
    expect(matchersWords([])).toBe('all alerts')
    expect(
      matchersWords([
        { label: 'array', pattern: 'fa-*', negated: false },
        { label: 'severity', pattern: 'critical', negated: true },
      ]),
    ).toBe('array is fa-*, severity is not critical')
  })
})

describe('what conditions hold for', () => {
  const is = (label: string, pattern: string, negated = false) => ({ label, pattern, negated })
  const alert = (labels: Record<string, string>) => ({ labels })

  it('is judged as the server does: any case, wildcards, sets, and an absent label as empty', () => {
    const one = alert({ object: 'DS-prod-07', array: 'fa-1' })
    expect(holdsFor([is('object', 'ds-*')], one)).toBe(true)
    expect(holdsFor([is('object', 'ds-prod-0?'), is('array', 'fa-[12]')], one)).toBe(true)
    expect(holdsFor([is('object', 'ds-prod-0?'), is('array', 'fa-[!12]')], one)).toBe(false)
    expect(holdsFor([is('object', 'ds')], one)).toBe(false)
    expect(holdsFor([is('object', 'ds-test-*', true)], one)).toBe(true)
    expect(holdsFor([is('host', '')], one)).toBe(true)
    expect(holdsFor([is('object', 'ds.prod.07')], one)).toBe(false)
  })

  it('is nothing where a set is empty, and never a failure, whatever is typed', () => {
    expect(holdsFor([is('object', 'ds-[9-0]')], alert({ object: 'ds-5' }))).toBe(false)
    expect(holdsFor([is('object', 'ds-[!9-0]')], alert({ object: 'ds-5' }))).toBe(true)
    // What a backwards range leaves beside it is no range of its own.
    expect(holdsFor([is('object', '[[[-(-(]')], alert({ object: '-' }))).toBe(true)
    expect(holdsFor([is('object', '[a-c-]x')], alert({ object: '-x' }))).toBe(true)
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]!-^\\*?a-c{(+'), maxLength: 12 }), (pattern) => {
        expect(typeof holdsFor([is('object', pattern)], alert({ object: 'a' }))).toBe('boolean')
      }),
    )
  })

  it('is one name alone where the pattern was made for exactly that', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (name, other) => {
        const matchers = [is('object', exactly(name))]
        expect(holdsFor(matchers, alert({ object: name }))).toBe(true)
        expect(holdsFor(matchers, alert({ object: other }))).toBe(name.toLowerCase() === other.toLowerCase())
      }),
    )
  })

  it('is everything without a condition, and with none that leaves anything out', () => {
    expect(isEverything([])).toBe(true)
    expect(isEverything([is('object', '*'), is('array', '**')])).toBe(true)
    expect(isEverything([is('object', '*'), is('array', 'fa-*')])).toBe(false)
    expect(isEverything([is('object', '*', true)])).toBe(false)
    expect(isEverything([is('object', '')])).toBe(false)
  })
})

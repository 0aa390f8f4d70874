import { describe, expect, it } from 'vitest'
import { exactly, matchersOf, matchersWords } from './matchers'

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
    expect(matchersWords([])).toBe('everything')
    expect(
      matchersWords([
        { label: 'array', pattern: 'fa-*', negated: false },
        { label: 'severity', pattern: 'critical', negated: true },
      ]),
    ).toBe('array is fa-*, severity is not critical')
  })
})

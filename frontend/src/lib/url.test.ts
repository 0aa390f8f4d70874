import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './url'

it('keeps parameters as plain readable words', () => {
  const text = stringifySearch({ from: '2026-11-20T12:00:00Z', q: 'a & b', sort: undefined, hide: '' })
  expect(text).toBe('?from=2026-11-20T12:00:00Z&q=a+%26+b')
  expect(parseSearch(text)).toEqual({ from: '2026-11-20T12:00:00Z', q: 'a & b' })
})

it('does not read a number or an object into a name', () => {
  expect(parseSearch('?q=123&part={"a":1}')).toEqual({ q: '123', part: '{"a":1}' })
})

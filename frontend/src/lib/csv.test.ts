import { expect, it } from 'vitest'
import { toCsv } from './csv'

it('keeps a missing value empty and a zero a zero', () => {
  expect(
    toCsv(
      ['time', 'read, µs'],
      [
        ['2026-11-20T12:00:00Z', null],
        ['2026-11-20T12:00:20Z', 0],
      ],
    ),
  ).toBe('time,"read, µs"\r\n2026-11-20T12:00:00Z,\r\n2026-11-20T12:00:20Z,0\r\n')
})

it('does not let a name become a formula', () => {
  expect(toCsv(['name'], [['=cmd|" /C calc"!A0'], ['a "quoted" name']])).toBe(
    'name\r\n"\'=cmd|"" /C calc""!A0"\r\n"a ""quoted"" name"\r\n',
  )
})

it.each(['＝1+1', '＋1', '－1', '＠SUM(1)', '−1', ' =1+1', '\t=1', '\n=1', '\uFEFF=1', '\u00A0@x'])(
  'does not let %j become a formula',
  (name) => {
    expect(toCsv(['name'], [[name]]).split('\r\n', 2)[1]).toMatch(/^"?'/)
  },
)

it('leaves names alone that only hold such signs', () => {
  expect(toCsv(['name'], [['a=b'], ['vm-01'], ['x @ y']])).toBe('name\r\na=b\r\nvm-01\r\nx @ y\r\n')
})

it('keeps negative numbers numbers', () => {
  expect(toCsv(['offset'], [[-3.5]])).toBe('offset\r\n-3.5\r\n')
})

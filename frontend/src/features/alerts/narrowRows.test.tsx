// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { MaintenanceOut, RuleOut, SilenceOut } from '../../api/types'
import type { Column } from '../../kit/table/VirtualTable'
import { bodyOf, NEW_RULE } from './rules/draft'
import { ruleColumns } from './rules/ruleColumns'
import { silenceColumns, windowColumns } from './silences/silenceColumns'

const MATCHERS = [{ label: 'datastore', pattern: 'ds-prod-*', negated: false }]
const SILENCE = {
  id: 3,
  matchers: MATCHERS,
  from_at: '2026-11-22T10:00:00Z',
  until_at: '2026-11-22T18:00:00Z',
  reason: 'firmware of fabric B',
  by: 'Ada',
  state: 'active',
  matching: 2,
} as SilenceOut
const WINDOW = {
  id: 1,
  name: 'patch night',
  first_day: '2026-11-04',
  starts: '22:00:00',
  lasts_min: 240,
  zone: 'UTC',
  repeat: 'weekly',
  weekdays: [2],
  last_day: null,
  matchers: MATCHERS,
  is_on: false,
} as unknown as MaintenanceOut
const RULE = {
  ...bodyOf({ ...NEW_RULE, key: 'k', name: 'Kernel latency' }, new Map()),
  id: 1,
  is_default: true,
  open: 1,
  error: null,
} as RuleOut
const none = () => undefined
const SILENCES = silenceColumns('utc', { onEnd: none, onRemove: none })
const WINDOWS = windowColumns('utc', { onEdit: none, onRemove: none })
const RULES = ruleColumns({
  units: new Map(),
  control: () => <input type="checkbox" aria-label="on" />,
  actions: { onEdit: none, onRemove: none },
})

const cell = <Row,>(columns: Column<Row>[], id: string, row: Row) =>
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      {columns.find((one) => one.id === id)?.cell(row)}
    </MantineProvider>,
  ).container.textContent

it.each([
  ['silences', SILENCES],
  ['windows', WINDOWS],
  ['rules', RULES],
])('on a phone the list of %s has one column, and every other one makes way', (_, columns) => {
  const shown = (columns as Column<never>[]).filter(({ from = 0 }) => from < 700)
  expect(shown.map(({ id, narrowOnly }) => [id, narrowOnly])).toEqual([['all', true]])
})

it('the one column has what decides, and the buttons', () => {
  expect(cell(SILENCES, 'all', SILENCE)).toMatch(
    /active2 open alertsFor datastore is ds-prod-\*Until 22 Nov, 18:00 UTC, from 22 Nov, 10:00Ada: firmware of fabric B/,
  )
  expect(screen.getByRole('button', { name: /^End silence/ })).toBeTruthy()
  expect(cell(RULES, 'all', RULE)).toMatch(/Kernel latency.*warning, built-in; 1 open.*Kernel ≥ .*All datastores/)
  expect(screen.getByRole('checkbox', { name: 'on' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Edit Kernel latency' })).toBeTruthy()
})

it('a window that is not on says when it is next, or that it is over', () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-22T12:00:00Z'))
  expect(cell(WINDOWS, 'on', WINDOW)).toBe('next 25 Nov, 22:00 UTC')
  expect(cell(WINDOWS, 'on', { ...WINDOW, is_on: true })).toBe('active')
  expect(cell(WINDOWS, 'on', { ...WINDOW, last_day: '2026-11-20' })).toBe('expired')
  expect(cell(WINDOWS, 'all', WINDOW)).toContain('next 25 Nov, 22:00 UTC')
})

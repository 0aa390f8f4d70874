import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { MaintenanceOut, RuleOut, SilenceOut } from '../../api/types'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { PreferencesProvider } from '../../lib/preferences'
import { bodyOf, NEW_RULE } from './rules/draft'
import { ruleColumns } from './rules/ruleColumns'
import { silenceColumns, windowColumns } from './silences/silenceColumns'

const MATCHERS = [{ label: 'datastore', pattern: 'ds-prod-*', negated: false }]
// What is in sight is as high as the screen, of which jsdom has none.
vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40 })),
    getTotalSize: () => 40 * count,
    measureElement: () => undefined,
  }),
}))

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

const onPhone = <Row,>(columns: Column<Row>[], row: Row) =>
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <PreferencesProvider>
        <VirtualTable label="Rows" columns={columns} count={1} rowAt={() => row} />
      </PreferencesProvider>
    </MantineProvider>,
  ).container.textContent

it('on a phone a silence, a window and a rule are one column, with what decides and the buttons', () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-22T12:00:00Z'))
  expect(onPhone(SILENCES, SILENCE)).toMatch(/datastore is ds-prod-\*active.*Ada: firmware of fabric B.*2/)
  expect(screen.getAllByRole('columnheader')).toHaveLength(1)
  expect(screen.getByRole('button', { name: /^End silence/ })).toBeTruthy()
  expect(onPhone(RULES, RULE)).toMatch(/Kernel latency.*warning.*built-in.*Kernel ≥ .*All datastores/)
  expect(screen.getByRole('checkbox', { name: 'on' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Edit Kernel latency' })).toBeTruthy()
  expect(onPhone(WINDOWS, WINDOW)).toMatch(/patch night.*next 25 Nov, 22:00 UTC.*ds-prod/)
})

const stateOf = (window: MaintenanceOut) =>
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      {WINDOWS.find(({ id }) => id === 'on')?.cell(window)}
    </MantineProvider>,
  ).container.textContent

it('a window that is not on says when it is next, or that it is over', () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-22T12:00:00Z'))
  expect(stateOf(WINDOW)).toBe('next 25 Nov, 22:00 UTC')
  expect(stateOf({ ...WINDOW, is_on: true })).toBe('active')
  expect(stateOf({ ...WINDOW, last_day: '2026-11-20' })).toBe('expired')
})

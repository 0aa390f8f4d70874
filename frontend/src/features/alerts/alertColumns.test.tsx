// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { AlertOut, RuleOut } from '../../api/types'
import type { Column } from '../../components/table/VirtualTable'
import { openColumns, pastColumns } from './alertColumns'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: React.ReactNode }) => children }))

const ALERT = {
  id: 1,
  rule_id: 1,
  measure: { quantity: 'times_usual', part: 'array', direction: 'all', unit: '×' },
  state: 'recovering',
  since_at: '2026-11-21T06:41:00Z',
  fired_at: '2026-11-21T06:10:00Z',
  ended_at: null,
  value: 0.76,
  lower: 0.5,
  peak: 4.1,
  peak_lower: 3.9,
  sentence: 'Array of fa-1 at 3 × its expected latency.',
} as AlertOut
const RULE = {
  id: 1,
  when: [{ quantity: 'times_usual', part: 'array', direction: 'all', at_least: 2, compared: 'lower' }],
} as RuleOut

function words(columns: Column<AlertOut>[], id: string, alert = ALERT): string {
  const column = columns.find((one) => one.id === id)
  const { container } = render(<MantineProvider>{column?.cell(alert)}</MantineProvider>)
  return `${column?.header}: ${container.querySelector('span')?.textContent}`
}

it('an open alert says of which minute its value and its verdict are', () => {
  const columns = openColumns('utc', () => RULE, null)
  expect(words(columns, 'value')).toMatch(/^How much: 0\.76 × at .*06:41no longer surely over 2 ×$/)
  expect(words(columns, 'sentence')).toMatch(/^Verdict when it fired: at .*06:10: Array of fa-1/)
})

it('the history shows the peak, and the last value only where no peak is kept', () => {
  const columns = pastColumns('utc')
  expect(words(columns, 'value')).toBe('Peak: 4.1 ×surely ≥ 3.9 ×')
  expect(words(columns, 'value', { ...ALERT, peak: null, peak_lower: null })).toBe('Peak: 0.76 ×its last value')
})

import { MantineProvider } from '@mantine/core'
import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { AlertOut, RuleOut } from '../../api/types'
import type { Column } from '../../kit/table/Column'
import { openColumns, pastColumns } from './alertColumns'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: React.ReactNode }) => children }))

const ALERT = {
  id: 1,
  rule_id: 1,
  measure: {
    quantity: 'baseline_ratio',
    part: 'array',
    direction: 'all',
    unit: '×',
    finding: null,
    finding_severity: null,
  },
  state: 'recovering',
  since_at: '2026-11-21T06:41:00Z',
  fired_at: '2026-11-21T06:10:00Z',
  ended_at: null,
  value: 0.76,
  lower: 0.5,
  peak: 4.1,
  peak_lower: 3.9,
  sentence: { claim: '', evidence: '', limits: '', action: '', text: 'Array of fa-1 at 3 × its expected latency.' },
} as AlertOut
const RULE = {
  id: 1,
  when: [{ quantity: 'baseline_ratio', part: 'array', direction: 'all', at_least: 2, compared: 'lower' }],
} as RuleOut

function words(columns: Column<AlertOut>[], id: string, alert = ALERT): string {
  const column = columns.find((one) => one.id === id)
  const { container } = render(<MantineProvider>{column?.cell(alert)}</MantineProvider>)
  return `${column?.header}: ${container.querySelector('span')?.textContent}`
}

it('an open alert says of which minute its value and its diagnosis are', () => {
  const columns = openColumns({ zone: 'utc', ruleOf: () => RULE, actions: null })
  expect(words(columns, 'value')).toMatch(/^Value: 0\.76 × baselineat .*06:41lower bound below 2 × baseline$/)
  expect(words(columns, 'sentence')).toMatch(/^Diagnosis at trigger: at .*06:10: Array of fa-1/)
})

it('one that fires says its worst minute so far', () => {
  const columns = openColumns({ zone: 'utc', ruleOf: () => RULE, actions: null })
  expect(words(columns, 'value', { ...ALERT, state: 'firing' })).toContain(
    '≥ 0.5 × baseline (lower bound), peak 4.1 × baseline',
  )
})

it('the history shows the peak, and the last value only where no peak is kept', () => {
  const columns = pastColumns('utc')
  expect(words(columns, 'value')).toBe('Peak: 4.1 × baseline≥ 3.9 × baseline (lower bound)')
  expect(words(columns, 'value', { ...ALERT, peak: null, peak_lower: null })).toBe('Peak: 0.76 × baselinelast value')
})

it('a number stands alone in its line, whatever day its minute is of', () => {
  const value = openColumns({ zone: 'utc', ruleOf: () => RULE, actions: null }).find(({ id }) => id === 'value')
  const { container } = render(<MantineProvider>{value?.cell(ALERT)}</MantineProvider>)
  const lines = [...(container.querySelector('span')?.children ?? [])].map((line) => line.textContent)
  expect(lines).toEqual(['0.76 × baseline', 'at 21 Nov, 06:41', 'lower bound below 2 × baseline'])
})

it('what never fired has no diagnosis of when it did', () => {
  const columns = openColumns({ zone: 'utc', ruleOf: () => RULE, actions: null, isPending: true })
  const pending = { ...ALERT, state: 'pending', fired_at: null } as AlertOut
  expect(words(columns, 'sentence', pending)).toBe('Diagnosis: Array of fa-1 at 3 × its expected latency.')
})

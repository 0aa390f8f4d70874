// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { RuleOut } from '../../../api/types'
import { ruleColumns } from './ruleColumns'

const RULE: RuleOut = {
  id: 1,
  key: 'kernel_queueing',
  name: 'Kernel queueing',
  of: 'datastore',
  where: {},
  when: [{ quantity: 'time', part: 'kernel', direction: 'all', at_least: 300, recover_below: null, compared: 'lower' }],
  for_min: 5,
  keep_firing_min: 5,
  no_data_after_min: 5,
  min_ops: 30,
  min_grade: 'C',
  severity: 'warning',
  labels: {},
  runbook_url: '',
  enabled: true,
  is_default: false,
  open: 0,
  created_at: '2026-11-21T02:00:00Z',
  changed_at: '2026-11-21T02:00:00Z',
  error: null,
  error_at: null,
}

function show(rule: RuleOut) {
  const columns = ruleColumns({ units: new Map([['time', 'µs']]), control: () => null, actions: null })
  render(
    <MantineProvider>
      {columns.map(({ id, cell }) => (
        <div key={id}>{cell(rule)}</div>
      ))}
    </MantineProvider>,
  )
}

it('says when a rule fires', () => {
  show(RULE)
  expect(screen.getByText(/^Kernel surely ≥ 0.30 ms, for 5 min; over after/)).toBeTruthy()
  expect(screen.getByText('warning')).toBeTruthy()
})

it('says why a rule is not judged, in words, even where nothing of it can be read', () => {
  show({ ...RULE, when: [], error: 'when: no condition is there.', error_at: '2026-11-21T02:13:00Z' })
  expect(screen.getByText('not judged')).toBeTruthy()
  expect(screen.getByText('Cannot be judged, change it: when: no condition is there.')).toBeTruthy()
  expect(screen.queryByText(/over after/)).toBeNull()
})

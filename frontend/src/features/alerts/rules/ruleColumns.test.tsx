import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { QuantityUse, RuleOut } from '../../../api/types'
import { bodyOf, NEW_RULE } from './draft'
import { ruleColumns } from './ruleColumns'

const LATENCY: QuantityUse = {
  quantity: 'latency',
  unit: 'µs',
  subjects: ['datastore'],
  parts: ['kernel'],
  has_direction: true,
  findings: [],
}
const UNITS = new Map([['latency', 'µs']] as const)

const RULE: RuleOut = {
  ...bodyOf({ ...NEW_RULE, key: 'kernel_queueing', name: 'Kernel latency' }, new Map([['latency', LATENCY]])),
  id: 1,
  is_default: false,
  open: 0,
  created_at: '2026-11-21T02:00:00Z',
  changed_at: '2026-11-21T02:00:00Z',
  error: null,
  error_at: null,
}

function show(rule: RuleOut) {
  const columns = ruleColumns({ units: UNITS, control: () => null, actions: null })
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
  expect(
    screen.getByText('Kernel ≥ 1.00 ms (lower bound), for 5 min; resolves after 5 min below threshold'),
  ).toBeTruthy()
  expect(screen.getByText('warning')).toBeTruthy()
})

it('says why a rule is not judged, in words, even where nothing of it can be read', () => {
  show({ ...RULE, when: [], error: 'when: no condition is there.', error_at: '2026-11-21T02:13:00Z' })
  expect(screen.getByText('invalid')).toBeTruthy()
  expect(screen.getByText('Invalid, edit it: when: no condition is there.')).toBeTruthy()
  expect(screen.queryByText(/resolves after/)).toBeNull()
})

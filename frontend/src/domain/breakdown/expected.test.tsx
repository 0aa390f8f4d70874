import { MantineProvider } from '@mantine/core'
import { cleanup, render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Deltas, Waterfall } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { readColumn } from '../../testing/diagnoses'
import { DeltasCard } from '../counters/DeltasCard'
import { WaterfallChart } from './WaterfallChart'

// The chart waits until it is seen, which here is never; its legend does not.
class NeverNear {
  observe() {}
  disconnect() {}
}
beforeEach(() => vi.stubGlobal('IntersectionObserver', NeverNear))

const window = {
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  from_at: '2026-11-20T12:00:00Z',
  to_at: '2026-11-20T12:05:00Z',
  minutes: 5,
  ledger_until_at: '2026-11-20T12:05:00Z',
  resolution: '1m',
} as const

function show(baseline_from: Deltas['baseline_from']): string {
  const waterfall = { ...window, baseline_from, directions: [readColumn] } as unknown as Waterfall
  const deltas: Deltas = { ...window, baseline_from, state: 'judged', deltas: [] }
  const { container } = render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <WaterfallChart name="ds-1" waterfall={waterfall} named={null} />
        <DeltasCard deltas={deltas} isCalm={false} />
      </MantineProvider>
    </PreferencesProvider>,
  )
  return container.textContent ?? ''
}

it('what was learned is usual for the hour', () => {
  expect(show('history')).toContain('baseline for this hour')
  expect(screen.getByRole('columnheader', { name: 'Above baseline' })).toBeTruthy()
})

it.each(['setting', 'both', null] as const)('what rests on %s is not called usual', (from) => {
  const said = show(from)
  expect(said).not.toContain('baseline for this hour')
  expect(said.includes('baseline (configured default, no history yet)')).toBe(from === 'setting')
  expect(said.includes('partly configured default')).toBe(from === 'both')
  expect(screen.getByRole('columnheader', { name: 'Above baseline' })).toBeTruthy()
})

it('where the array counted something else than was fitted, the waterfall says so', () => {
  const waterfall = { ...window, baseline_from: null, directions: [readColumn] } as unknown as Waterfall
  const shown = (inside_us: number) =>
    render(
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <WaterfallChart
            name="ds-1"
            waterfall={waterfall}
            named={null}
            counted={[{ direction: 'read', inside_us, port_us: null }]}
          />
        </MantineProvider>
      </PreferencesProvider>,
    ).container.textContent
  expect(shown(450)).toContain('Array: 0.40 ms estimated, 0.45 ms reported by the array.')
  cleanup()
  expect(shown(401)).not.toContain('reported')
})

it('above and possibly above baseline differ by more than their color; a normal diagnosis has nothing in red', () => {
  const delta = { label: 'Device − driver', us: 40, lower_us: 30, upper_us: 50, excess_us: 20 }
  const deltas = {
    ...window,
    baseline_from: 'history',
    state: 'judged',
    deltas: [
      { ...delta, name: 'sure', excess_lower_us: 10 },
      { ...delta, name: 'unsure', excess_lower_us: 0 },
      { ...delta, name: 'none', excess_us: 0, excess_lower_us: 0 },
    ],
  } as unknown as Deltas
  const over = (isCalm: boolean) => {
    const { container, unmount } = render(<DeltasCard deltas={deltas} isCalm={isCalm} />)
    const cells = [...container.querySelectorAll<HTMLElement>('tbody td:last-child')]
    const told = cells.map(({ textContent, dataset }) => [textContent, dataset.tone === 'bad'])
    unmount()
    return told
  }
  expect(over(false)).toEqual([
    ['▲ +20 µs', true],
    ['+20 µs ?', false],
    ['0 µs', false],
  ])
  expect(over(true).every(([, isRed]) => !isRed)).toBe(true)
})

import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Waterfall } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { readColumn } from '../../testing/diagnoses'
import { WaterfallChart } from './WaterfallChart'

vi.mock('@tanstack/react-virtual', () => ({
  useVirtualizer: ({ count }: { count: number }) => ({
    getVirtualItems: () =>
      Array.from({ length: count }, (_, index) => ({ index, start: 40 * index, end: 40 * index + 40, key: index })),
    getTotalSize: () => 40 * count,
  }),
}))

const waterfall = {
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  from_at: '2026-11-20T12:00:00Z',
  to_at: '2026-11-20T12:05:00Z',
  minutes: 5,
  ledger_until_at: '2026-11-20T12:05:00Z',
  resolution: '1m',
  baseline_from: 'history',
  directions: [readColumn],
} as unknown as Waterfall
const weighted = { ...waterfall, directions: [{ ...readColumn, direction: 'all' }] } as unknown as Waterfall

// Read once for a theme.
document.documentElement.style.setProperty('--gv-bad', 'rgb(255, 0, 0)')
document.documentElement.style.setProperty('--gv-text', 'rgb(0, 0, 255)')

const copied = vi.fn((_: string) => Promise.resolve())

beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText: copied } })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  history.replaceState(null, '', '/')
})

function show(diagnosis: { named: string | null; hasEnded?: boolean; compact?: boolean } = { named: 'kernel' }) {
  return render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <WaterfallChart name="ds-1" waterfall={diagnosis.compact ? weighted : waterfall} {...diagnosis} />
      </MantineProvider>
    </PreferencesProvider>,
  )
}

it('copies a link to what the address says when it is copied, not when the chart was drawn', () => {
  history.replaceState(null, '', '/datastores/1?hide=total')
  show()
  history.replaceState(null, '', '/datastores/1?hide=array_port&bounds=san')
  fireEvent.click(screen.getByRole('button', { name: 'Copy link to this window' }))
  const search = new URL(copied.mock.lastCall?.[0] ?? 'about:blank').searchParams
  expect([search.get('hide'), search.get('bounds')]).toEqual(['array_port', 'san'])
  expect(search.get('from')).toBe('2026-11-20T12:00:00Z')
})

it('can be saved as a picture beside its numbers', async () => {
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }))
  expect(await screen.findByRole('table', { name: 'Latency breakdown of ds-1' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Save as PNG' })).toBeTruthy()
  // What is saved is drawn on this.
  expect(screen.getByTestId('chart')).toBeTruthy()
})

it('what is surely above baseline is a calm sign under a healthy diagnosis and under one that is over', () => {
  const inkOf = (diagnosis: { named: string | null; hasEnded?: boolean }) => {
    const { unmount } = show(diagnosis)
    const ink = screen.getByText('▲').style.getPropertyValue('--color')
    unmount()
    return ink
  }
  expect(inkOf({ named: 'kernel' })).toBe('rgb(255, 0, 0)')
  expect(inkOf({ named: 'kernel', hasEnded: true })).toBe('rgb(0, 0, 255)')
  expect(inkOf({ named: null })).toBe('rgb(0, 0, 255)')
})

it('on a phone each part of the path says its time, share and excess below its name', () => {
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }))
  const table = screen.getByRole('table', { name: 'Latency breakdown of ds-1' })
  const cells = [...table.querySelectorAll('tbody td > div')].map((cell) =>
    [cell.firstElementChild, ...(cell.lastElementChild?.children ?? [])].map((part) => part?.textContent),
  )
  expect(cells.slice(0, 4)).toEqual([
    ['Total', 'Read 0.93 ms'],
    ['Guest', 'Read not measured'],
    ['kernel', 'Read 0.44 ms', '47 %', '▲ +0.44 ms above baseline'],
    ['· kernel_queue', 'Read 0.40 ms'],
  ])
})

it('a summary says in words which parts have no row of their own, its table has all of them, its legend only what is drawn', () => {
  show({ named: 'kernel', compact: true })
  expect(screen.getByText('Not measured: Guest')).toBeTruthy()
  const legend = [...screen.getByRole('list', { name: 'Legend' }).children].map(({ textContent }) => textContent)
  expect(legend.some((text) => text?.includes('above baseline'))).toBe(true)
  expect(legend.some((text) => text?.includes('possibly above baseline'))).toBe(false)
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }))
  expect(screen.getByRole('table', { name: 'Latency breakdown of ds-1' }).textContent).toContain('not measured')
})

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { client } from '../../api/client'
import type { RunOut } from '../../api/types'
import type { Column } from '../../kit/table/Column'
import { PreferencesProvider } from '../../lib/preferences'
import { SourceHistory } from './SourceHistory'

vi.mock('../../kit/table/VirtualTable', () => ({
  VirtualTable: ({
    columns,
    count,
    rowAt,
  }: {
    columns: Column<RunOut>[]
    count: number
    rowAt: (at: number) => RunOut
  }) => (
    <ul>
      {Array.from({ length: count }, (_, index) => rowAt(index)).map((run) => (
        <li key={run.id}>
          {columns
            .filter(({ id }) => id === 'samples' || id === 'new')
            .map(({ id, cell }) => (
              <i key={id}>{cell(run)}</i>
            ))}
        </li>
      ))}
    </ul>
  ),
}))

const run = (id: number, part: Partial<RunOut> = {}): RunOut => ({
  id,
  stream: 'path',
  queue: 'live',
  started_at: '2026-11-22T12:00:00Z',
  duration_s: 0.1,
  calls: 1,
  bytes_received: 1000,
  samples: 432,
  new_samples: 108,
  completed: 0,
  corrected: 0,
  unknown_keys: 0,
  lag_s: 10,
  clock_offset_s: 0,
  error_kind: null,
  error_message: null,
  ...part,
})

/** The history of a source that has these runs. */
function show(kept: readonly RunOut[]) {
  const get = vi.spyOn(client, 'GET').mockImplementation((async (
    path: string,
    asked: { params: { query?: { limit: number } } },
  ) => {
    const data = path.endsWith('/runs')
      ? kept.slice(0, asked.params.query?.limit)
      : { runs: kept.slice(0, 50), gaps: [] }
    return { data, response: new Response(null, { status: 200 }) }
  }) as unknown as typeof client.GET)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <PreferencesProvider>
          <SourceHistory id={7} />
        </PreferencesProvider>
      </MantineProvider>
    </QueryClientProvider>,
  )
  return get
}

/** By their tag: asking for roles takes seconds. */
const rows = () => [...document.querySelectorAll('li')]

it('where there are more runs than the page shows, it says so and shows more when it is asked', async () => {
  show(Array.from({ length: 60 }, (_, index) => run(index)))
  await screen.findByText('Last 50 runs')
  expect(rows()).toHaveLength(50)
  fireEvent.click(screen.getByText('Show last 500'))
  await screen.findByText('All runs: 60')
  expect(rows()).toHaveLength(60)
  expect(document.querySelector('button')).toBeNull()
})

it('a run that reads no samples by what it is has no number of them', async () => {
  show([
    run(1),
    run(2, { stream: 'inventory', samples: 3 }),
    run(3, { samples: 0, new_samples: 0, error_message: 'away' }),
  ])
  await screen.findByText('All runs: 3')
  expect(rows().map(({ textContent }) => textContent)).toEqual(['432108', '––', '––'])
})

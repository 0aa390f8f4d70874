import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { TiedKind } from '../../api/testRuns'
import type { TestRun, TestRunChanges } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { ChangesTable } from './ChangesCard'
import { ReasonList } from './LeftOut'
import { RunsTable } from './RunsTable'
import { notesOf } from './runWords'

vi.mock('@tanstack/react-router', async (actual) => ({
  ...(await actual<typeof import('@tanstack/react-router')>()),
  Link: ({
    to,
    search,
    children,
    ...rest
  }: {
    to: string
    search?: Record<string, string>
    children: React.ReactNode
  }) => (
    <a href={`${to}?${new URLSearchParams(search)}`} {...rest}>
      {children}
    </a>
  ),
}))

type Compared = TestRun['directions'][number]

const layer = (name: string, label: string, layers: Compared['not_measured'], us: number) => ({
  name,
  label,
  layers,
  us,
  lower_us: us - 10,
  upper_us: us + 10,
  measured_us: us,
  baseline_us: us,
  excess_us: 0,
  excess_lower_us: 0,
  excess_upper_us: 0,
  share: null,
  ops_share: 1,
})

const WHOLE: Compared = {
  direction: 'all',
  figures: {
    direction: 'all',
    ops: 600_000,
    ops_per_s: 2000,
    bytes_per_s: 16_384_000,
    mean_us: 1400,
    max_us: 9000,
    p50_us: 1200,
    p95_us: null,
    p99_us: null,
    p999_us: null,
  },
  state: 'judged',
  iops: 2000,
  ops_ratio: 1,
  total_us: 930,
  layers: [layer('kernel', 'Kernel', ['kernel'], 440), layer('san_array', 'SAN + array', ['san', 'array'], 490)],
  not_measured: ['guest'],
  remainder: { us: 470, lower_us: 450, upper_us: 490 },
}

const RUN: TestRun = {
  run: {
    id: 3,
    import_id: 7,
    subject: { kind: 'vm', id: 17, name: 'db01' },
    disk_id: null,
    disk: null,
    file_name: 'run-3.json',
    imported_at: '2026-11-24T09:00:00Z',
    name: 'oltp',
    tool: 'fio',
    tool_version: '3.35',
    starts_at: '2026-11-24T08:00:10Z',
    ends_at: '2026-11-24T08:05:10Z',
    offset_s: null,
    outstanding_limit: 32,
    block_size: '8k',
    is_direct: true,
    has_series: false,
    warnings: [],
    figures: [WHOLE.figures],
  },
  sentence: 'fio saw 1.40 ms at 2,000 IOPS: guest 0.47, kernel 0.44, SAN + array 0.49.',
  window: {
    from_at: '2026-11-24T08:01:00Z',
    to_at: '2026-11-24T08:05:00Z',
    minutes: 4,
    resolution: '1m',
    is_partial: false,
  },
  directions: [WHOLE],
}

const shown = (children: React.ReactNode) =>
  render(
    <MantineProvider env="test">
      <PreferencesProvider>{children}</PreferencesProvider>
    </MantineProvider>,
  )

const table = (
  runs: readonly TestRun[],
  onRemove: ((run: TestRun) => void) | null = null,
  onSelect = vi.fn(),
  onChart = vi.fn(),
  kind: TiedKind = 'vms',
) =>
  shown(
    <RunsTable
      kind={kind}
      runs={runs}
      selected={[]}
      onSelect={onSelect}
      charted={null}
      onChart={onChart}
      onRemove={onRemove}
    />,
  )

it('a test run stands beside the layers, not measured ones and the remainder are said to be so', () => {
  table([RUN])
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent)
  expect(cells).toEqual([
    'All',
    '2,000VM 2,000',
    '16.4 MB/s',
    '1.40 ms',
    '1.20 ms',
    'not measured',
    '0.47 ms0.45–0.49',
    'not measured',
    '0.44 ms0.43–0.45',
    '0.49 ms0.48–0.50SAN + array',
    RUN.sentence,
  ])
  expect(screen.getAllByRole('cell').at(-2)?.getAttribute('colspan')).toBe('2')
})

it('a test run leads to the minutes that it is compared with', () => {
  table([RUN])
  const href = screen.getByRole('link').getAttribute('href') ?? ''
  expect(href).toContain('/vms/17?')
  expect(decodeURIComponent(href)).toContain('from=2026-11-24T08:01:00')
})

it('a test run names the offset of its clock where one was given', () => {
  table([{ ...RUN, run: { ...RUN.run, offset_s: -2.5 } }])
  expect(screen.queryByText('VM clock −2.50 s, as given')).not.toBeNull()
})

it('a test run is selected for comparison and removed by its import', () => {
  const [onSelect, onRemove] = [vi.fn(), vi.fn()]
  table([RUN], onRemove, onSelect)
  fireEvent.click(screen.getByRole('checkbox', { name: 'Compare oltp, run-3.json' }))
  expect(onSelect).toHaveBeenCalledWith(3)
  fireEvent.click(screen.getByRole('button', { name: 'Remove run-3.json' }))
  expect(onRemove).toHaveBeenCalledWith(RUN)
})

it('a reader sees test runs and removes none', () => {
  table([RUN])
  expect(screen.queryByRole('button')).toBeNull()
})

it('a test run with reads and writes has a row of each', () => {
  table([{ ...RUN, directions: [{ ...WHOLE, direction: 'read' }, { ...WHOLE, direction: 'write' }, WHOLE] }])
  const rows = screen.getAllByRole('row').slice(1)
  expect(rows.map((row) => within(row).getAllByRole('cell')[0]?.textContent)).toEqual([
    'All',
    'Reads',
    'Writes',
    RUN.sentence,
  ])
})

it('a test run without a time has no layers and says so', () => {
  const alone: Compared = { ...WHOLE, layers: [], remainder: null, total_us: null, iops: null, ops_ratio: null }
  table([{ ...RUN, run: { ...RUN.run, starts_at: null, ends_at: null }, window: null, directions: [alone] }])
  expect(screen.queryByRole('link')).toBeNull()
  expect(screen.queryByText('Time not in the file')).not.toBeNull()
  expect(screen.getAllByText('not measured')).toHaveLength(6)
})

it('a test run says what limits its comparison', () => {
  const of = (window: Partial<NonNullable<TestRun['window']>>, ops_ratio: number | null = 1) =>
    notesOf(
      {
        ...RUN,
        window: { ...(RUN.window as NonNullable<TestRun['window']>), ...window },
        directions: [{ ...WHOLE, ops_ratio }],
      },
      'VM',
    )
  expect(of({})).toEqual([])
  expect(of({ is_partial: true })[0]).toContain('No whole minute')
  expect(of({ minutes: 0, is_partial: true })).toEqual(['The ledger has no minute of this run.'])
  expect(of({ resolution: '1h' })[0]).toContain('1h')
  expect(of({}, 1.5)).toEqual(['The VM did 1.50 × the I/Os of the tool in these minutes.'])
  expect(of({}, 1.05)).toEqual([])
  const warned = { ...RUN, run: { ...RUN.run, warnings: [{ code: 'buffered', text: 'Add --direct=1.' }] } }
  expect(notesOf(warned, 'VM')).toEqual(['Add --direct=1.'])
})

it('changes between runs have a sign, a percentage and a range, and say what was measured once only', () => {
  const changes: TestRunChanges = {
    before: RUN,
    after: { ...RUN, run: { ...RUN.run, id: 4, file_name: 'run-4.json' } },
    directions: [
      {
        direction: 'all',
        figures: [
          { name: 'ops_per_s', before: 2000, after: 2600, change: 600, change_ratio: 0.3 },
          { name: 'mean_us', before: 1400, after: 1000, change: -400, change_ratio: -0.2857 },
          { name: 'p95_us', before: null, after: null, change: null, change_ratio: null },
          { name: 'p99_us', before: null, after: 3000, change: null, change_ratio: null },
        ],
        layers: [
          {
            name: 'kernel',
            label: 'Kernel',
            layers: ['kernel'],
            before_us: 440,
            after_us: 40,
            change_us: -400,
            change_lower_us: -420,
            change_upper_us: -380,
          },
        ],
      },
    ],
  }
  shown(<ChangesTable changes={changes} />)
  expect(screen.queryByText('oltp (run-3.json) → oltp (run-4.json)')).not.toBeNull()
  const rows = screen.getAllByRole('row').map((row) => row.textContent)
  expect(rows).toContain('IOPS2,000 IOPS2,600 IOPS+600 IOPS+30 %')
  expect(rows).toContain('Mean1.40 ms1.00 ms−0.40 ms−29 %')
  expect(rows).toContain('p99not measured3.00 msnot measured in one of them')
  expect(rows).toContain(' Kernel0.44 ms0.04 ms−0.40 ms−0.42 to −0.38')
  expect(rows.some((row) => row?.startsWith('p95'))).toBe(false)
})

it('a test run with a latency log leads to its latency over time', () => {
  const onChart = vi.fn()
  table([RUN, { ...RUN, run: { ...RUN.run, id: 4, has_series: true } }], null, vi.fn(), onChart)
  const button = screen.getByRole('button', { name: 'Latency over time of oltp, run-3.json', expanded: false })
  fireEvent.click(button)
  expect(onChart).toHaveBeenCalledWith(4)
})

it('a test run without I/O rates says that they are not measured', () => {
  const figures = { ...WHOLE.figures, ops: null, ops_per_s: null, bytes_per_s: null, mean_us: null }
  table([{ ...RUN, directions: [{ ...WHOLE, figures, ops_ratio: null, remainder: null }] }])
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent)
  expect(cells.slice(1, 4)).toEqual(['not measuredVM 2,000', 'not measured', 'not measured'])
})

it('a test run of a virtual disk says which, and that I/Os beside it are of that disk', () => {
  const run = { ...RUN, run: { ...RUN.run, disk_id: 5, disk: 'Hard disk 2' } }
  table([run])
  expect(screen.queryByText('on Hard disk 2')).not.toBeNull()
  expect(screen.getAllByRole('cell')[1]?.textContent).toBe('2,000disk 2,000')
  const directions = [{ ...WHOLE, ops_ratio: 1.3 }]
  expect(notesOf({ ...run, directions }, 'disk')).toContain(
    'The disk did 1.30 × the I/Os of the tool in these minutes.',
  )
})

it.each([
  ['datastores', 'datastore', 'all VMs on the datastore'],
  ['volumes', 'volume', 'all monitored hosts on the volume'],
] as const)('a test run of %s says whose I/Os its layers hold, and leads there', (kind, noun, whose) => {
  const run = { ...RUN.run, offset_s: 2, subject: { kind: noun, id: 4, name: 'ds-prod-02' } }
  table([{ ...RUN, run, directions: [{ ...WHOLE, ops_ratio: 1.5 }] }], null, vi.fn(), vi.fn(), kind)
  expect(screen.getByRole('link').getAttribute('href')).toContain(`/${kind}/4?`)
  expect(screen.getAllByRole('cell')[1]?.textContent).toBe(`2,000${noun} 2,000`)
  expect(screen.queryByText(`The ${noun} did 1.50 × the I/Os of the tool in these minutes.`)).not.toBeNull()
  expect(screen.queryByText('clock +2.00 s, as given')).not.toBeNull()
  expect(document.body.textContent).toContain(`Layers hold the I/Os of ${whose}.`)
})

it('files of an archive that became no run are listed with their reason', () => {
  shown(
    <ReasonList
      files={[
        { file: 'hci-3', reason: 'No VM of this name is in the inventory.' },
        { file: 'hci-4.json', reason: 'the file is cut short.' },
      ]}
    />,
  )
  expect(screen.getByRole('region', { name: 'Left out, with reasons' })).not.toBeNull()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'hci-3: No VM of this name is in the inventory.',
    'hci-4.json: the file is cut short.',
  ])
})

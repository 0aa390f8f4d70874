// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { PreferencesProvider } from '../lib/preferences'
import { freshness } from './DataAge'
import { DataState } from './DataState'
import { coverage } from './entity/OriginsCard'
import { hostParts } from './entity/SidesBar'
import { SchemaForm } from './form/SchemaForm'
import { fieldsOf } from './form/schema'
import { Name } from './Name'
import { Quantity } from './Quantity'

const show = (node: ReactNode) =>
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        {node}
      </MantineProvider>
    </PreferencesProvider>,
  )

interface QueryPart<Data> {
  data?: Data
  error?: Error | null
  isFetching?: boolean
  errorUpdatedAt?: number
  errorUpdateCount?: number
}

function query<Data>(part: QueryPart<Data>) {
  const refetch = vi.fn()
  return {
    data: undefined,
    error: null,
    isFetching: false,
    isPending: false,
    dataUpdatedAt: Date.UTC(2026, 10, 20, 12),
    errorUpdatedAt: 0,
    refetch,
    ...part,
  } as never
}

describe('a name from outside', () => {
  it('is text, whatever it contains', () => {
    const { container } = show(<Name>{'<img src=x onerror=alert(1)>'}</Name>)
    expect(container.querySelector('img')).toBeNull()
    expect(container.textContent).toContain('<img src=x onerror=alert(1)>')
  })

  it('is read aloud whole and once, however it is cut on screen', () => {
    const names = ['esx-05', 'esx-05.lab.example', `${'a'.repeat(190)}-volume-01`]
    for (const name of names) {
      const { container, unmount } = show(<Name>{name}</Name>)
      const drawn = container.querySelector('[aria-hidden="true"]')
      drawn?.remove()
      expect(container.textContent).toBe(name)
      // What the eye sees is the same name.
      expect(drawn?.textContent ?? name).toBe(name)
      unmount()
    }
  })
})

describe('a quantity', () => {
  it('says "not measured" for null and a number for zero', () => {
    show(<Quantity value={null} unit="µs" />)
    expect(screen.getByText('not measured')).toBeTruthy()
    show(<Quantity value={0} unit="ops/s" />)
    expect(screen.getByText('0 IOPS')).toBeTruthy()
  })
})

describe('the four states', () => {
  const body = (data: string[]) => <p>{data.join()}</p>
  const skeleton = <p>skeleton</p>
  const empty = (data: string[]) => (data.length === 0 ? { title: 'Nothing yet', text: 'Add a source.' } : null)
  const failed = new ApiError('the list', 'The database is down.', 503)

  it('shows a skeleton while nothing is known', () => {
    show(
      <DataState query={query<string[]>({})} skeleton={skeleton}>
        {body}
      </DataState>,
    )
    expect(screen.getByText('skeleton')).toBeTruthy()
  })

  it('says what failed, why, and lets one try again', async () => {
    const failing = query<string[]>({ error: failed }) as { refetch: () => void }
    show(
      <DataState query={failing as never} skeleton={skeleton}>
        {body}
      </DataState>,
    )
    expect(screen.getByRole('alert').textContent).toContain('Could not load the list')
    expect(screen.getByRole('alert').textContent).toContain('The database is down.')
    await userEvent.click(screen.getByRole('button', { name: 'Retry now' }))
    expect(failing.refetch).toHaveBeenCalled()
  })

  it('is busy with a try only where somebody asked for it', () => {
    const retrying = query<string[]>({ error: failed, isFetching: true })
    show(
      <DataState query={retrying} skeleton={skeleton}>
        {body}
      </DataState>,
    )
    expect(screen.getByRole('button', { name: 'Retry now' }).getAttribute('data-loading')).toBeNull()
  })

  it('does not offer to try again what is not there, but says what to do instead', () => {
    const missing = query<string[]>({ error: new ApiError('the alert', 'There is no alert 7.', 404) })
    show(
      <DataState query={missing} skeleton={skeleton} gone="The list has those that are kept.">
        {body}
      </DataState>,
    )
    expect(screen.getByRole('alert').textContent).toBe('There is no alert 7.The list has those that are kept.')
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('says since when it fails, and goes on saying so while it tries again', () => {
    const states = [
      query<string[]>({ error: failed, errorUpdatedAt: Date.UTC(2026, 10, 20, 12, 0, 5), errorUpdateCount: 1 }),
      query<string[]>({ isFetching: true, errorUpdatedAt: Date.UTC(2026, 10, 20, 12, 0, 5), errorUpdateCount: 1 }),
      query<string[]>({ error: failed, errorUpdatedAt: Date.UTC(2026, 10, 20, 12, 0, 20), errorUpdateCount: 2 }),
    ]
    const page = (state: never) => (
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <DataState<string[]> query={state} skeleton={skeleton}>
            {body}
          </DataState>
        </MantineProvider>
      </PreferencesProvider>
    )
    const { rerender } = render(page(states[0] as never))
    for (const state of states) {
      rerender(page(state as never))
      expect(screen.queryByText('skeleton')).toBeNull()
      expect(screen.getByRole('alert').textContent).toContain('Failing since 12:00:05')
    }
    rerender(page(query<string[]>({ errorUpdateCount: 0 }) as never))
    expect(screen.getByText('skeleton')).toBeTruthy()
  })

  it('keeps old data on screen and says since when it is old', () => {
    show(
      <DataState query={query({ data: ['a'], error: failed })} skeleton={skeleton}>
        {body}
      </DataState>,
    )
    expect(screen.getByText('a')).toBeTruthy()
    expect(screen.getByRole('status').textContent).toContain('since 12:00:00')
  })

  it('says why there is nothing', () => {
    show(
      <DataState query={query<string[]>({ data: [] })} skeleton={skeleton} empty={empty}>
        {body}
      </DataState>,
    )
    expect(screen.getByText('Add a source.')).toBeTruthy()
  })
})

describe('a secret in a form', () => {
  it('is never shown and may be left empty where one is stored', () => {
    const fields = fieldsOf({
      required: ['token'],
      properties: { token: { type: 'string', writeOnly: true, title: 'Token' } },
    })
    show(
      <SchemaForm
        fields={fields}
        values={{ token: '' }}
        onChange={vi.fn()}
        problems={new Map()}
        secretsSet={new Set(['token'])}
      />,
    )
    const input = screen.getByLabelText('Token') as HTMLInputElement
    expect(input.type).toBe('password')
    expect(input.value).toBe('')
    expect(input.placeholder).toContain('stored')
  })
})

describe('the bar of the hosts', () => {
  const sides = (gavg: number | null, davg: number | null, kavg: number | null, precision: number) =>
    ({ host_gavg_us: gavg, host_davg_us: davg, host_kavg_us: kavg, host_precision_us: precision }) as never
  const drawn = (...numbers: Parameters<typeof sides>) =>
    hostParts(sides(...numbers)).map(({ us, isBelowStep }) => [us, isBelowStep === true])

  it('is hatched where a ms counter says zero, as far as it may stand for, never empty', () => {
    expect(drawn(0, 0, 0, 1000).at(-1)).toEqual([1000, true])
    expect(drawn(84, 80, 2, 1000).at(-1)).toEqual([1084, true])
  })

  it('is solid only as far as whole milliseconds are confirmed, and hatched up to all that they may stand for', () => {
    expect(drawn(8000, 2000, 6000, 1000)).toEqual([
      [1500, false],
      [5500, false],
      [2000, true],
    ])
    expect(drawn(1000, null, null, 1000)).toEqual([
      [500, false],
      [1500, true],
    ])
  })

  it('is solid where the counters are fine enough', () => {
    expect(drawn(320, 310, 6, 1)).toEqual([
      [310, false],
      [6, false],
    ])
    expect(drawn(0, 0, 0, 1)).toEqual([
      [0, false],
      [0, false],
    ])
  })

  it('stays empty where nothing was measured', () => {
    expect(drawn(null, null, null, 1000)).toEqual([[null, false]])
  })
})

describe('small judgements', () => {
  it('calls data late after three minutes and lost after ten', () => {
    expect([60_000, 200_000, 700_000].map(freshness)).toEqual(['fresh', 'late', 'lost'])
  })

  it('never rounds a hole away', () => {
    expect(coverage([1, 1, 1])).toBe('100 %')
    expect(coverage([...Array(999).fill(1), null])).toBe('99 %')
    expect(coverage([...Array(999).fill(null), 1])).toBe('1 %')
    expect(coverage([])).toBe('0 %')
  })
})

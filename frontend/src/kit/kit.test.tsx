import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../lib/errors'
import { PreferencesProvider } from '../lib/preferences'
import { SchemaForm } from './form/SchemaForm'
import { fieldsOf } from './form/schema'
import { freshness } from './state/DataAge'
import { DataState } from './state/DataState'
import { Name } from './text/Name'
import { Quantity } from './text/Quantity'

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

describe('the age of data', () => {
  it('calls data late after three minutes and lost after ten', () => {
    expect([60_000, 200_000, 700_000].map(freshness)).toEqual(['fresh', 'late', 'lost'])
  })
})

import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { ApiError } from '../../lib/errors'
import { PreferencesProvider } from '../../lib/preferences'
import { DataState } from './DataState'

// All of Gavel is away: the page says so above.
vi.mock('../../lib/outage', () => ({ useOutage: () => ({ since_ms: 0 }) }))

const refetch = vi.fn()
const away = {
  data: undefined,
  error: new ApiError('this VM', 'The database does not answer.', 503),
  isFetching: false,
  isPending: false,
  dataUpdatedAt: 0,
  errorUpdatedAt: Date.UTC(2026, 10, 20, 12),
  errorUpdateCount: 1,
  refetch,
} as never

const show = (props: { heading?: boolean; whole?: boolean }) =>
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <DataState query={away} skeleton={null} {...props}>
          {() => null}
        </DataState>
      </MantineProvider>
    </PreferencesProvider>,
  )

it('what is all of a page says there why it is not there, and lets one try, without a second alarm', async () => {
  show({ heading: true })
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Could not load this VM')
  expect(screen.getByText('The database does not answer.')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Retry now' }))
  expect(refetch).toHaveBeenCalled()
  expect(screen.queryByRole('alert')).toBeNull()
})

it('a list says below its page’s heading why it is not there, too', () => {
  show({ whole: true })
  expect(screen.queryByRole('heading')).toBeNull()
  expect(screen.getByText('The database does not answer.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Retry now' })).toBeTruthy()
})

it('a part of a page is quiet while the page says that all of Gavel is away', () => {
  const { container } = show({})
  expect(container.textContent).toBe('Could not load this VM')
})

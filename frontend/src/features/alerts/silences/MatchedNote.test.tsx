// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { addMaintenance } from '../../../api/alertCommands'
import { alertsNowQuery } from '../../../api/alerts'
import { PreferencesProvider } from '../../../lib/preferences'
import { MaintenanceDialog } from './MaintenanceDialog'

vi.mock('../../../api/alertCommands', () => ({
  addMaintenance: vi.fn(() => Promise.resolve()),
  changeMaintenance: vi.fn(),
}))

const labels = (object: string) => ({ labels: { object } })

function show() {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const now = { alerts: [labels('ds-1'), labels('ds-2')], pending: [labels('vm-1')], judged_until_at: null }
  client.setQueryData(alertsNowQuery().queryKey, now as never)
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false} env="test">
        <QueryClientProvider client={client}>
          <MaintenanceDialog window={null} onClose={() => undefined} />
        </QueryClientProvider>
      </MantineProvider>
    </PreferencesProvider>,
  )
}

it('a window for everything is added only when that was chosen, and says how many open alerts it is about', async () => {
  show()
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'patches')
  await userEvent.type(screen.getByRole('textbox', { name: 'Pattern 1' }), 'ds-*')
  expect(document.body.textContent).toContain('2 of 3 open alerts match now.')
  await userEvent.click(screen.getByRole('button', { name: 'Remove condition 1' }))
  expect(document.body.textContent).toContain('no message is sent about any alert. 3 of 3 open alerts match now.')
  await userEvent.click(screen.getByRole('button', { name: 'Add' }))
  expect(addMaintenance).not.toHaveBeenCalled()
  expect(document.body.textContent).toContain('Choose everything, or add a condition above.')
  await userEvent.click(screen.getByRole('checkbox', { name: 'Everything, and I mean it' }))
  await userEvent.click(screen.getByRole('button', { name: 'Add' }))
  expect(addMaintenance).toHaveBeenCalledWith(expect.objectContaining({ name: 'patches', matchers: [] }))
})

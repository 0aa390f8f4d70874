import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { WallAddress } from './WallAddress'

vi.mock('../api/commands', () => ({ makeWallToken: async () => ({ token: 'gvl_w' }) }))

it('the address of a wall asks for its screen and how far it is read from, before and after it is made', async () => {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <WallAddress />
      </MantineProvider>
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('Screen size (inches)'), '65')
  await user.click(screen.getByRole('button', { name: 'Generate wall link' }))
  const address = () => container.querySelector('pre')?.textContent
  await screen.findByText('it is shown only once')
  expect(address()).toBe(`${location.origin}/wall/environment?screen_in=65&distance_m=4#wall=gvl_w`)
  await user.type(screen.getByLabelText('Viewing distance (m)'), '6')
  expect(address()).toBe(`${location.origin}/wall/environment?screen_in=65&distance_m=6#wall=gvl_w`)
  await user.type(screen.getByLabelText('Viewing distance (m)'), 'x')
  expect(address()).toBeUndefined()
  expect(screen.getByRole('alert').textContent).toContain('such as 55 and 4')
})

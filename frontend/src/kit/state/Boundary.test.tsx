import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { Boundary } from './Boundary'

let isBroken = true
function Part() {
  if (isBroken) throw new Error('no such column: qavg_us')
  return <p>drawn</p>
}

beforeEach(() => {
  isBroken = true
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

const page = () =>
  render(
    <MantineProvider env="test">
      <Boundary title="Latency breakdown">
        <Part />
      </Boundary>
      <Boundary title="Top contributors">
        <p>others go on</p>
      </Boundary>
    </MantineProvider>,
  )

it('section: one that throws says what happened under its title, and the others go on', () => {
  page()
  expect(screen.getByRole('region', { name: 'Latency breakdown' }).textContent).toContain('no such column: qavg_us')
  expect(screen.getByRole('alert')).toBeTruthy()
  expect(screen.getByText('others go on')).toBeTruthy()
})

it('section: is drawn again on request', async () => {
  page()
  isBroken = false
  await userEvent.click(screen.getByRole('button', { name: 'Show again' }))
  expect(screen.getByText('drawn')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})

import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { generatedSecret, SecretMaker } from './SecretMaker'

function Entered() {
  const [secrets, setSecrets] = useState<string[]>([''])
  return (
    <>
      <SecretMaker secrets={secrets} onChange={setSecrets} />
      <output>{secrets.join(' ')}</output>
    </>
  )
}

it('adds a secret of 32 bytes that no other equals, and says to copy it', async () => {
  render(
    <MantineProvider>
      <Entered />
    </MantineProvider>,
  )
  expect(screen.queryByText(/never shown again/)).toBeNull()
  const make = screen.getByRole('button', { name: 'Generate signing secret' })
  await userEvent.click(make)
  await userEvent.click(make)
  const made = screen.getByRole('status').textContent?.split(' ') ?? []
  expect(new Set(made).size).toBe(2)
  for (const secret of [...made, generatedSecret()]) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(screen.getByText(/never shown again/)).toBeTruthy()
})

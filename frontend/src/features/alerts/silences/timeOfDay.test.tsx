import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { fromWallClock } from '../../../lib/time'
import { TimeOfDay } from './TimeOfDay'

function Form() {
  const [value, setValue] = useState('09:05')
  return (
    <>
      <TimeOfDay label="From" value={value} onChange={setValue} error={undefined} />
      <output>{value}</output>
    </>
  )
}

it('an evening hour is typed and told in 24 hours, and is a time as the clock reads it', async () => {
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <Form />
    </MantineProvider>,
  )
  const hours = screen.getByRole('spinbutton', { name: 'From, hours' })
  await userEvent.click(hours)
  await userEvent.keyboard('22')
  await userEvent.keyboard('30')
  const typed = screen.getByRole('status').textContent
  expect(typed).toBe('22:30')
  expect(fromWallClock(`2026-11-22 ${typed}`, 'utc')).toBe(Date.UTC(2026, 10, 22, 22, 30))
  expect(document.body.textContent).not.toMatch(/\b(AM|PM)\b/i)
})

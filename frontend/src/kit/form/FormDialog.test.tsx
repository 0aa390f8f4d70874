import { MantineProvider, TextInput } from '@mantine/core'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { FormDialog } from './FormDialog'

function show({ isSaved = false } = {}) {
  const onClose = vi.fn()
  render(
    <MantineProvider env="test">
      <FormDialog title="Add source" isSaved={isSaved} onClose={onClose}>
        <TextInput label="Name" defaultValue="" />
      </FormDialog>
    </MantineProvider>,
  )
  return onClose
}

it('closes at once while nothing was entered', async () => {
  const onClose = show()
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

it('asks before Escape loses what was entered, and keeps it', async () => {
  const onClose = show()
  await userEvent.type(screen.getByLabelText('Name'), 'array-1')
  await userEvent.keyboard('{Escape}')
  expect(onClose).not.toHaveBeenCalled()
  const question = screen.getByRole('dialog', { name: 'Discard changes?' })
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(question.isConnected).toBe(false))
  expect(onClose).not.toHaveBeenCalled()
  expect((screen.getByLabelText('Name') as HTMLInputElement).value).toBe('array-1')
})

it('closes when that is what is wanted', async () => {
  const onClose = show()
  await userEvent.type(screen.getByLabelText('Name'), 'array-1')
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(onClose).toHaveBeenCalledOnce()
})

it('asks nothing once what was entered is kept', async () => {
  const onClose = show({ isSaved: true })
  await userEvent.type(screen.getByLabelText('Name'), 'array-1')
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

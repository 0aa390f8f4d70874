import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { GLOSSARY } from '../copy/help'
import { Glossary } from './Glossary'

const terms = () => screen.queryAllByRole('term').map((one) => one.textContent)

it('glossary: lists every term once, and the filter looks at terms and meanings', async () => {
  render(
    <MantineProvider>
      <Glossary />
    </MantineProvider>,
  )
  expect(terms()).toEqual(GLOSSARY.map(({ term }) => term))
  expect(new Set(terms()).size).toBe(GLOSSARY.length)
  const filter = screen.getByRole('textbox', { name: 'Filter glossary' })
  await userEvent.type(filter, 'dsnro')
  expect(terms()).toEqual(['Queue depth (DQLEN)'])
  await userEvent.clear(filter)
  await userEvent.type(filter, 'no such term')
  expect(terms()).toEqual([])
  expect(screen.getByText('No matching term')).toBeTruthy()
})

import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { SchemaForm } from './SchemaForm'
import { fieldsOf, initialValues, type Values } from './schema'

const FIELDS = fieldsOf({
  required: ['address'],
  properties: {
    limit: { type: 'integer', title: 'Limit', default: 30, advanced: true },
    address: { type: 'string', title: 'Address' },
  },
})

function show(settings: Values = {}, problems: [string, string][] = []) {
  render(
    <MantineProvider>
      <SchemaForm
        fields={FIELDS}
        values={initialValues(FIELDS, settings)}
        onChange={vi.fn()}
        problems={new Map(problems)}
        secretsSet={new Set()}
        above={({ name }) => name === 'address' && <p>Where it is</p>}
      />
    </MantineProvider>,
  )
  return screen.getByRole('button', { name: /More settings/ })
}

describe('settings that few think about', () => {
  it('are folded away until somebody asks for them', () => {
    const button = show()
    expect(button.getAttribute('aria-expanded')).toBe('false')
    expect(screen.queryByLabelText('Limit')).toBeNull()
    fireEvent.click(button)
    expect(button.getAttribute('aria-expanded')).toBe('true')
    expect(screen.getByLabelText('Limit')).toBeTruthy()
  })

  it('are open where one is set otherwise', () => {
    const button = show({ limit: 60 })
    expect(button.getAttribute('aria-expanded')).toBe('true')
    fireEvent.click(button)
    expect(button.getAttribute('aria-expanded')).toBe('false')
  })

  it('cannot be closed over what has to be corrected', () => {
    const button = show({}, [['limit', 'Limit is at least 20.']])
    expect(screen.getByText('Limit is at least 20.')).toBeTruthy()
    fireEvent.click(button)
    fireEvent.click(button)
    expect(screen.getByText('Limit is at least 20.')).toBeTruthy()
  })

  it('do not move what helps with a field away from it', () => {
    show()
    const help = screen.getByText('Where it is')
    expect(help.compareDocumentPosition(screen.getByLabelText(/Address/))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })
})

import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { FilterValues } from '../../api/types'
import type { FilterField } from './fields'
import { SuggestField } from './SuggestField'

const MARKUP = '<img src=x onerror="alert(1)">'
const answers: Record<string, FilterValues> = {}
vi.mock('../../api/filters', async (actual) => {
  const own = await actual<typeof import('../../api/filters')>()
  return {
    filterValuesQuery: (...asked: Parameters<typeof own.filterValuesQuery>) => ({
      ...own.filterValuesQuery(...asked),
      queryFn: async () => answers[asked[2]] ?? { items: [], total: 0 },
    }),
  }
})

const offer = (value: string, objects: number) => ({ value, filter: `=${value}`, objects })
const FIELD: FilterField = { name: 'owner', label: 'owner' }

function show(onChange = vi.fn()) {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MantineProvider env="test">
        <SuggestField field={FIELD} name="owner" kind="vms" value="" onChange={onChange} onOffering={() => undefined} />
      </MantineProvider>
    </QueryClientProvider>,
  )
  return { onChange, input: screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter by owner' }) }
}

const type = (input: HTMLElement, value: string) => fireEvent.change(input, { target: { value } })
const press = (input: HTMLElement, code: string) => fireEvent.keyDown(input, { code, key: code })

it('values that hold what is typed are offered with how many objects have each, and an arrow key and Enter choose one', async () => {
  answers.fin = { items: [offer('finance', 12), offer('finance IT', 1)], total: 2 }
  const { onChange, input } = show()
  expect(input.getAttribute('aria-expanded')).toBe('false')
  type(input, 'fin')
  const options = await screen.findAllByRole('option')
  expect(options).toHaveLength(2)
  expect(options[0]?.textContent).toMatch(/^finance, 12 VMs$/)
  expect(options[1]?.textContent).toMatch(/finance IT, 1 VM$/)
  expect(input.getAttribute('aria-expanded')).toBe('true')
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('2 values'))
  press(input, 'ArrowDown')
  expect(input.getAttribute('aria-activedescendant')).toBe(options[0]?.id)
  press(input, 'Enter')
  expect(onChange).toHaveBeenCalledWith('=finance')
  expect(input.value).toBe('=finance')
  expect(input.getAttribute('aria-expanded')).toBe('false')
})

it('without a chosen value the typed part is the filter, and Escape closes what is offered', async () => {
  answers.f = { items: [offer('finance', 12)], total: 1 }
  const { onChange, input } = show()
  type(input, 'f')
  await screen.findByRole('option')
  press(input, 'Enter')
  press(input, 'Escape')
  expect(input.getAttribute('aria-expanded')).toBe('false')
  await waitFor(() => expect(onChange).toHaveBeenCalledWith('f', { replace: true }))
  expect(onChange).toHaveBeenCalledTimes(1)
})

it('of ten thousand values the first are offered, with the advice to refine', async () => {
  answers.t = { items: Array.from({ length: 20 }, (_, n) => offer(`t-${n}`, 1)), total: 10_000 }
  const { input } = show()
  type(input, 't')
  expect(await screen.findAllByText('20 of 10,000 values. Type more to refine.')).toHaveLength(2)
  expect(screen.getAllByRole('option')).toHaveLength(20)
})

it('markup in a value stays text', async () => {
  answers.m = { items: [offer(MARKUP, 3)], total: 1 }
  const { input } = show()
  type(input, 'm')
  const option = await screen.findByRole('option')
  expect(option.textContent).toContain(MARKUP)
  expect(option.querySelector('img')).toBeNull()
})

it('nothing is offered where no value matches', async () => {
  const { input } = show()
  type(input, 'none')
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('No matching value'))
  expect(input.getAttribute('aria-expanded')).toBe('false')
})

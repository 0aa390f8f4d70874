import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { alertsNowQuery } from '../../../api/alerts'
import type { Matcher } from '../../../api/types'
import { everythingProblem, MatchedNote } from './MatchedNote'

const is = (pattern: string): Matcher => ({ label: 'object', pattern, negated: false })
const labels = (object: string) => ({ labels: { object } })

function show(matchers: Matcher[], onMean = vi.fn()) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const now = { alerts: [labels('ds-1'), labels('ds-2')], pending: [labels('vm-1')], analyzed_until_at: null }
  client.setQueryData(alertsNowQuery().queryKey, now as never)
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <QueryClientProvider client={client}>
        <MatchedNote matchers={matchers} isMeant={false} onMean={onMean} problem={everythingProblem(matchers, false)} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  client.clear()
  return onMean
}

it.each([
  [[is('ds-*')], '2 of 3 open alerts match now.'],
  [[is('vm-1')], '1 of 3 open alerts matches now.'],
  [[is('host-*')], 'None of 3 open alerts match now.'],
  [[is('')], ''],
])('conditions say how many open alerts they hold for: %j', (matchers, words) => {
  show(matchers)
  expect(document.body.textContent).toBe(words)
})

it.each([[[]], [[is('*')]]])('what leaves nothing out has to be chosen: %j', (matchers) => {
  const onMean = show(matchers)
  expect(document.body.textContent).toContain('suppresses notifications of all alerts. 3 of 3 open alerts match now.')
  expect(document.body.textContent).toContain('Confirm all alerts, or add a condition above.')
  fireEvent.click(screen.getByLabelText('Silence all alerts'))
  expect(onMean).toHaveBeenCalledWith(true)
  expect(everythingProblem(matchers, true)).toBeUndefined()
  expect(everythingProblem([is('ds-*')], false)).toBeUndefined()
})

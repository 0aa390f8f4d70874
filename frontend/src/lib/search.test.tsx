import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { act, render, screen } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { beforeEach, expect, it } from 'vitest'
import { AtOnce, InItsTime, SearchProvider, useFlatSearch } from './search'
import { numberOf, parseSearch, stringifySearch, useSetSearch } from './url'

/** What was on the screen, one commit after the other. */
let log: string[] = []
beforeEach(() => {
  log = []
})

function Told({ as }: { as: string }) {
  const { q = '' } = useFlatSearch()
  useLayoutEffect(() => {
    log.push(`${as} ${q}`)
  }, [as, q])
  return null
}

function Adder() {
  const setSearch = useSetSearch()
  return (
    <button type="button" onClick={() => setSearch(({ q = '' }) => ({ q: `${q}+` }))}>
      add
    </button>
  )
}

async function pages(at: string) {
  const root = createRootRoute({ component: Outlet })
  const page = (path: string) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: () => (
        <InItsTime>
          <Told as={`${path} draws`} />
          <AtOnce>
            <Told as={`${path} shows`} />
            <Adder />
          </AtOnce>
        </InItsTime>
      ),
    })
  const router = createRouter({
    routeTree: root.addChildren([page('/one'), page('/two')]),
    history: createMemoryHistory({ initialEntries: [at] }),
    parseSearch,
    stringifySearch,
    InnerWrap: SearchProvider,
  })
  await act(async () => {
    await router.load()
    render(<RouterProvider router={router as never} />)
  })
  log = []
  return router
}

it('shows what is pressed before what it changes is drawn', async () => {
  const router = await pages('/one?q=a')
  await act(() => router.navigate({ to: '/one' as never, search: { q: 'b' } as never }))
  expect(log).toEqual(['/one shows b', '/one draws b'])
})

it('draws another page with its own parameters from the first', async () => {
  const router = await pages('/one?q=a')
  await act(() => router.navigate({ to: '/two' as never, search: { q: 'b' } as never }))
  expect(log).toContain('/two draws b')
  expect(log.filter((line) => line.includes('/two') && !line.endsWith(' b'))).toEqual([])
})

it('changes parameters as they are by now, however often it is pressed meanwhile', async () => {
  const router = await pages('/one?q=a')
  await act(async () => {
    screen.getByText('add').click()
    screen.getByText('add').click()
  })
  expect(router.state.location.search).toEqual({ q: 'a++' })
})

it('takes for the number of an address only what is one', () => {
  expect(['371', '0', '', 'x1', '1.5', '-1', '1e3'].map(numberOf)).toEqual([371, 0, null, null, null, null, null])
})

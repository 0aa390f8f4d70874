/** The router, made from the list of pages. Parameters of the URL are plain words, and the time window follows from page to page. */

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { BASE_PATH } from '../lib/base'
import { serverNow } from '../lib/clock'
import type { Parameter } from '../lib/parameters'
import { resolvedRange } from '../lib/relativeRange'
import { type FlatSearch, SearchProvider } from '../lib/search'
import { parseSearch, SHARED_PARAMETERS, stringifySearch } from '../lib/url'
import { Layout } from './Layout'
import { PageFailed, PageMissing, PagePending } from './PageStates'
import { PAGES, type Page } from './pages'

export function createAppRouter(client: QueryClient) {
  const root = createRootRoute({
    validateSearch: (search: FlatSearch) => search,
    search: { middlewares: [retainSearchParams([...SHARED_PARAMETERS])] },
  })
  const framed = createRoute({ getParentRoute: () => root, id: 'framed', component: Layout })
  const missing = createRoute({ getParentRoute: () => framed, path: '$', component: PageMissing })
  const pageRoute = (parent: () => typeof root, page: Page) =>
    createRoute({
      getParentRoute: parent,
      path: page.path,
      component: lazyRouteComponent(withCharts(page)),
      beforeLoad: ({ params, search, cause, location: { pathname, hash } }) => {
        const today = resolvedRange(page.upgrade?.(search, hash) ?? search, serverNow())
        if (stringifySearch(today) !== stringifySearch(search))
          throw redirect({ to: pathname, search: today as never, hash, replace: true })
        if (cause === 'enter') page.ask?.(client, { params, search })
      },
      staticData: { title: page.title, parameters: page.parameters ?? [] },
    })
  const inFrame = PAGES.filter((page) => !page.bare).map((page) => pageRoute(() => framed as never, page))
  const bare = PAGES.filter((page) => page.bare).map((page) => pageRoute(() => root, page))
  return createRouter({
    basepath: BASE_PATH || '/',
    routeTree: root.addChildren([framed.addChildren([...inFrame, missing]), ...bare]),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailed,
    defaultPendingComponent: PagePending,
    scrollRestoration: true,
    InnerWrap: SearchProvider,
  })
}

/** What fails of the charts is tried again, and told, where they are shown. */
function withCharts({ load, charts }: Page): Page['load'] {
  return () => {
    // First in line is what the page cannot do without.
    const page = load()
    charts?.().catch(() => undefined)
    return page
  }
}

export type AppRouter = ReturnType<typeof createAppRouter>

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
    parameters?: readonly Parameter[]
  }
}

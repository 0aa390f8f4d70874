/** The router, made from the list of pages. Parameters of the URL are plain words, and the time window follows from page to page. */

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { type FlatSearch, parseSearch, SHARED_PARAMETERS, stringifySearch } from '../lib/url'
import { Layout } from './Layout'
import { PageFailed, PageMissing, PagePending } from './PageStates'
import { HOME, PAGES } from './pages'

export function createAppRouter() {
  const root = createRootRoute({
    component: Layout,
    notFoundComponent: PageMissing,
    validateSearch: (search: FlatSearch) => search,
    search: { middlewares: [retainSearchParams([...SHARED_PARAMETERS])] },
  })
  const home = createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: HOME, replace: true })
    },
  })
  const pages = PAGES.map((page) =>
    createRoute({
      getParentRoute: () => root,
      path: page.path,
      component: lazyRouteComponent(page.load),
      staticData: { title: page.title },
    }),
  )
  return createRouter({
    routeTree: root.addChildren([home, ...pages]),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailed,
    defaultPendingComponent: PagePending,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
  }
}

/** The parameters of the address as the router has them, and as the heavy parts of a page have come to show them. */

import { useRouterState } from '@tanstack/react-router'
import { createContext, type ReactNode, use, useDeferredValue } from 'react'

export type FlatSearch = Record<string, string | undefined>

export interface Place {
  pathname: string
  search: FlatSearch
}

const NOWHERE: Place = { pathname: '', search: {} }
const Now = createContext(NOWHERE)
const Shown = createContext(NOWHERE)

/** What a part of a page shows of the address. */
export const useShown = (): Place => use(Shown)

export const useFlatSearch = (): FlatSearch => useShown().search

export function Showing({ place, children }: { place: Place; children: ReactNode }) {
  return <Shown value={place}>{children}</Shown>
}

/** Around everything, inside the router. */
export function SearchProvider({ children }: { children: ReactNode }) {
  const now = useRouterState({
    select: ({ matches }): Place => {
      const page = matches.at(-1)
      return page === undefined ? NOWHERE : { pathname: page.pathname, search: page.search as FlatSearch }
    },
    structuralSharing: true,
  })
  return (
    <Now value={now}>
      <Shown value={now}>{children}</Shown>
    </Now>
  )
}

/**
 * What is below follows the address as soon as there is time for it, in pieces that any key or press comes before: first what was
 * pressed answers, then what it changes is drawn. Another page is another page at once.
 */
export function InItsTime({ children }: { children: ReactNode }) {
  const now = use(Now)
  const late = useDeferredValue(now)
  return <Shown value={late.pathname === now.pathname ? late : now}>{children}</Shown>
}

/** Inside of that: what the reader presses shows at once that it is pressed. */
export function AtOnce({ children }: { children: ReactNode }) {
  return <Shown value={use(Now)}>{children}</Shown>
}

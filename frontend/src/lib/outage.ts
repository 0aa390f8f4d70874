/** Whether all of Gavel is away, which is said once for the whole page; api/outage.tsx finds out. */

import { createContext, useContext } from 'react'

export interface Outage {
  error: Error
  /** The first of the tries that failed since. */
  since_ms: number
  /** When the newest of what is shown was read; null where nothing is. */
  read_ms: number | null
}

export const OutageContext = createContext<Outage | null>(null)

/** Null where everything is well, or where a part fails alone. */
export const useOutage = () => useContext(OutageContext)

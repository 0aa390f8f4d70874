/** What the open page is about: its name stands first in the title of the browser's tab. */

import { useEffect, useSyncExternalStore } from 'react'
import { visibleName } from './text'

let subject: string | null = null
const listeners = new Set<() => void>()

function setSubject(name: string | null) {
  subject = name
  for (const listener of listeners) listener()
}

/** The page is about `name` while it is shown; null: not known yet. */
export function useSubject(name: string | null): void {
  useEffect(() => {
    setSubject(name)
    return () => setSubject(null)
  }, [name])
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function usePageSubject(): string | null {
  const name = useSyncExternalStore(subscribe, () => subject)
  return name === null ? null : visibleName(name)
}

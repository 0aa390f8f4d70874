/** One ticking second for the whole page, so that ages move together. */

import { useSyncExternalStore } from 'react'
import { browserNow } from './clock'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now_ms = browserNow()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now_ms = browserNow()
  timer ??= setInterval(() => {
    now_ms = browserNow()
    for (const notify of listeners) notify()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The browser's time in ms, new every second while somebody looks. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now_ms)
}

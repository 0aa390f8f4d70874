import { type ReactNode, startTransition, useEffect, useState } from 'react'

/** So long a busy page may put off what is far below. */
const LATEST_MS = 1_000

interface LaterProps {
  /** Only when the page has nothing else to do: for what is far below. */
  whenIdle?: boolean
  children: ReactNode
}

/** What a page has below its answer: drawn once the answer is on the screen, in pieces that let keys and presses through. */
export function Later({ whenIdle = false, children }: LaterProps) {
  const [isTime, setTime] = useState(false)
  useEffect(() => afterwards(whenIdle, () => startTransition(() => setTime(true))), [whenIdle])
  return isTime ? children : <span hidden aria-busy="true" />
}

/** Answers the way not to do it. */
function afterwards(whenIdle: boolean, act: () => void): () => void {
  if (!whenIdle || !('requestIdleCallback' in window)) {
    const timer = setTimeout(act)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(act, { timeout: LATEST_MS })
  return () => cancelIdleCallback(handle)
}

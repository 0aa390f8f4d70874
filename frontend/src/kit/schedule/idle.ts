/** What can wait is done when the page has nothing else to do: one thing at a time, so that keys and presses come between. */

/** So long a busy page may put it off. */
const LATEST_MS = 1_000
/** Where the browser does not tell when it is idle. */
const GUESSED_MS = 50

const waiting = new Set<() => void>()
let isAwaited = false

/** Answers the way not to do it. */
export function whenIdle(act: () => void): () => void {
  // The same act may be asked for twice: each is its own.
  const own = () => act()
  waiting.add(own)
  awaitIdle()
  return () => {
    waiting.delete(own)
  }
}

function awaitIdle() {
  if (isAwaited || waiting.size === 0) return
  isAwaited = true
  if ('requestIdleCallback' in window) requestIdleCallback(next, { timeout: LATEST_MS })
  else setTimeout(next, GUESSED_MS)
}

function next() {
  isAwaited = false
  const [act] = waiting
  if (act === undefined) return
  waiting.delete(act)
  try {
    act()
  } finally {
    awaitIdle()
  }
}

import { cleanup, configure } from '@testing-library/react'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { matchMediaOnScreen, offScreen } from './screen'

// Of the machine, as for whole tests (vitest.config.ts).
configure({ asyncUtilTimeout: 20_000 })
fc.configureGlobal({ seed: Number(import.meta.env.PROPERTY_SEED) })

/** The clock stands still in every test that does not set it: no verdict depends on the hour. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date'] })
stopClock()
beforeEach(stopClock)

// All files share one worker. The next file loads its modules anew.
afterAll(() => {
  vi.useRealTimers()
  vi.resetModules()
})

if (typeof window !== 'undefined') {
  afterEach(cleanup)
  afterEach(offScreen)
  afterAll(leavePage)
  offScreen()
  standInForLayout()
}

/** What jsdom lacks and components ask for. */
function standInForLayout() {
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  window.matchMedia = matchMediaOnScreen
  Element.prototype.scrollIntoView ??= () => undefined
  // A field that grows waits for its font.
  if (!('fonts' in document)) Object.defineProperty(document, 'fonts', { value: new EventTarget() })
}

/** Removes whatever a file left in the page that the next one shares. */
function leavePage() {
  const { documentElement, head, body } = document
  for (const element of [documentElement, head, body])
    for (const { name } of [...element.attributes]) element.removeAttribute(name)
  head.replaceChildren()
  body.replaceChildren()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  Reflect.deleteProperty(navigator, 'clipboard')
}

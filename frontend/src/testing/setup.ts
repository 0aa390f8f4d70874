import { cleanup } from '@testing-library/react'
import { afterEach, vi } from 'vitest'
import { matchMediaOnScreen, offScreen } from './screen'

if (typeof window !== 'undefined') {
  afterEach(cleanup)
  afterEach(offScreen)
  offScreen()
  standInForLayout()
}

/** What jsdom lacks and components ask for. */
function standInForLayout() {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
  window.matchMedia ??= matchMediaOnScreen
}

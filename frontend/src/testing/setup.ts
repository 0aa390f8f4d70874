import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'
import { matchMediaOnScreen, offScreen } from './screen'

// Of the machine, as for whole tests (vite.config.ts).
configure({ asyncUtilTimeout: 20_000 })

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

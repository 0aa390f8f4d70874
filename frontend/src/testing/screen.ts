/** How wide the screen is, where jsdom has none: without it, a phone. */

import { vi } from 'vitest'

export function onScreen(width_px: number): void {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
    const [, least] = /min-width: (\d+)px/.exec(query) ?? []
    return {
      matches: least !== undefined && Number(least) <= width_px,
      media: query,
      addEventListener() {},
      removeEventListener() {},
    } as never
  })
}

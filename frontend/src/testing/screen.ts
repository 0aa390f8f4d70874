/** How wide the screen is, where jsdom has none: a phone, until a test says otherwise. */

const PHONE_PX = 390
let width_px = PHONE_PX

export function onScreen(wide_px: number): void {
  width_px = wide_px
  if (typeof window !== 'undefined') window.innerWidth = wide_px
}

export function offScreen(): void {
  onScreen(PHONE_PX)
}

/** Answers "(min-width: …px)" by the screen as it is when asked; nothing else matches. */
export function matchMediaOnScreen(query: string): MediaQueryList {
  const [, least] = /min-width: (\d+)px/.exec(query) ?? []
  return {
    get matches() {
      return least !== undefined && Number(least) <= width_px
    },
    media: query,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  } as never
}

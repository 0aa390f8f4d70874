/** The address of a wall, with the screen that it is for. */

export interface WallScreen {
  /** Diagonal in inches, as it was written; empty: 55. */
  screen_in: string
  /** From how many meters it is read, as it was written; empty: 4. */
  distance_m: string
}

/** Without a size, the letters are those for 55 inches at 4 m; half of one says nothing, so the other takes its usual value. */
export const USUAL_SCREEN: WallScreen = { screen_in: '55', distance_m: '4' }

const isSize = (text: string) => Number(text) > 0 && Number.isFinite(Number(text))

/** Null where what was written is no size. */
export function wallAddress(origin: string, token: string, screen: WallScreen): string | null {
  const wanted = Object.entries(screen).map(([name, text]) => [name, text.trim().replace(',', '.')] as const)
  const given = wanted.filter(([, text]) => text !== '')
  if (!given.every(([, text]) => isSize(text))) return null
  const sized = wanted.map(([name, text]) => [name, text === '' ? USUAL_SCREEN[name as keyof WallScreen] : text])
  const query = given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(sized))}`
  return `${origin}/wall/environment${query}#wall=${token}`
}

/** The token of `/#setup=TOKEN`, the address that the first start prints, or of `/wall/environment#wall=TOKEN`, made for screens. */

interface Place {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState'>
}

/** Answers the token, if the address has one, and removes it from the address and its history entry. */
export function takeSetupToken({ location, history }: Place): string | null {
  const hash = new URLSearchParams(location.hash.slice(1))
  const token = hash.get('setup') ?? hash.get('wall')
  if (token === null) return null
  history.replaceState(null, '', location.pathname + location.search)
  return token
}

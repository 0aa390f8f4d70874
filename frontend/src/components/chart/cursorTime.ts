/** The one instant that the page's charts over time are read at: the chart under the pointer moves it, the others follow. */

type Follower = (at_ms: number | null) => void

const followers = new Map<object, Follower>()

/** `owner`: the chart under the pointer, which draws its own cursor. */
export function moveCursor(owner: object, at_ms: number | null): void {
  for (const [follower, follow] of followers) if (follower !== owner) follow(at_ms)
}

/** Answers the way to stop following. */
export function followCursor(owner: object, follow: Follower): () => void {
  followers.set(owner, follow)
  return () => {
    followers.delete(owner)
  }
}

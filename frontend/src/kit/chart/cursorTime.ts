/** The one instant that the page's charts over time are read at: the chart under the pointer moves it for all of them. */

type Follower = (at_ms: number | null) => void

const followers = new Set<Follower>()

export function moveCursor(at_ms: number | null): void {
  for (const follow of followers) follow(at_ms)
}

/** Answers the way to stop following. */
export function followCursor(follow: Follower): () => void {
  followers.add(follow)
  return () => {
    followers.delete(follow)
  }
}

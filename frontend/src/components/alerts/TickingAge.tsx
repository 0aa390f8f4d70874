import { serverNow } from '../../api/serverClock'
import { formatAge } from '../../lib/time'
import { useNow } from '../../lib/useNow'

/** How long ago, by the server's clock. */
export function TickingAge({ at_ms }: { at_ms: number }) {
  useNow()
  return <>{formatAge(Math.max(0, serverNow() - at_ms))}</>
}

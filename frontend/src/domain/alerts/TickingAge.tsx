import { serverNow } from '../../lib/clock'
import { useNow } from '../../lib/useNow'
import { formatLength } from './words'

/** How long it has lasted, by the server's clock. */
export function TickingAge({ at_ms }: { at_ms: number }) {
  useNow()
  return <>{formatLength(Math.max(0, serverNow() - at_ms))}</>
}

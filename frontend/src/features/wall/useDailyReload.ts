import { useEffect, useEffectEvent } from 'react'
import { reloadDelayMs } from './age'

const TRY_AGAIN_MS = 60_000

/** Loads the page again once a day, so that a wall follows updates and forgets what it gathered; never into a server that is away. */
export function useDailyReload(isReachable: boolean): void {
  const canReload = useEffectEvent(() => isReachable)
  useEffect(() => {
    let timer = setTimeout(reload, reloadDelayMs(Math.random()))
    function reload() {
      if (canReload()) location.reload()
      else timer = setTimeout(reload, TRY_AGAIN_MS)
    }
    return () => clearTimeout(timer)
  }, [])
}

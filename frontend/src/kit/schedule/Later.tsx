import { type ReactNode, startTransition, useEffect, useState } from 'react'
import { whenIdle as doWhenIdle } from './idle'

interface LaterProps {
  /** Only when the page has nothing else to do: for what is far below. */
  whenIdle?: boolean
  children: ReactNode
}

/** What a page has below its answer: drawn once the answer is on the screen, in pieces that let keys and presses through. */
export function Later({ whenIdle = false, children }: LaterProps) {
  const [isTime, setTime] = useState(false)
  useEffect(() => {
    const begin = () => startTransition(() => setTime(true))
    if (whenIdle) return doWhenIdle(begin)
    const timer = setTimeout(begin)
    return () => clearTimeout(timer)
  }, [whenIdle])
  return isTime ? children : <span hidden aria-busy="true" />
}

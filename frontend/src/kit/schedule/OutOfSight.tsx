import { type ReactNode, type RefObject, startTransition, useEffect, useRef, useState } from 'react'
import { type Place, Showing, useShown } from '../../lib/search'
import { whenIdle } from './idle'

const NEAR = '200px 0px'

/** A part of a page that follows the rest of it while it is in sight; elsewhere it stays as it was until there is nothing else to do. */
export function OutOfSight({ children }: { children: ReactNode }) {
  const place = useShown()
  const [box, isInSight] = useInSight<HTMLDivElement>()
  const [held, hold] = useState<{ children: ReactNode; place: Place }>({ children, place })
  const isBehind = held.children !== children || held.place !== place
  // In sight it is drawn once, with the newest: React begins anew before it draws what is inside.
  if (isInSight && isBehind) hold({ children, place })
  useEffect(() => {
    if (isInSight || !isBehind) return
    return whenIdle(() => startTransition(() => hold({ children, place })))
  }, [isInSight, isBehind, children, place])
  return (
    <div ref={box} style={{ minWidth: 0 }}>
      <Showing place={held.place}>{held.children}</Showing>
    </div>
  )
}

/** Whether an element is on the screen or close to it; until that is known it is taken to be. */
function useInSight<Box extends HTMLElement>(): [RefObject<Box | null>, boolean] {
  const box = useRef<Box>(null)
  const [isInSight, setInSight] = useState(true)
  useEffect(() => {
    if (box.current === null) return
    const observer = new IntersectionObserver((entries) => setInSight(entries.at(-1)?.isIntersecting ?? true), {
      rootMargin: NEAR,
    })
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, isInSight]
}

import { type RefObject, useEffect, useRef, useState } from 'react'

const NEAR = '600px 0px'

/** True once the element has come near the screen, and from then on: what is far below need not be drawn yet. */
export function useNearViewport<Box extends HTMLElement>(): [RefObject<Box | null>, boolean] {
  const box = useRef<Box>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (box.current === null || isNear) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true)
      },
      { rootMargin: NEAR },
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [isNear])
  return [box, isNear]
}

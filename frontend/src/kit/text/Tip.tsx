/** The one tooltip of the page: it says what an element carries as `data-tip`, while that is pointed at or has the keyboard's focus. */

import { type CSSProperties, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import styles from './Tip.module.css'

const TIP = 'data-tip'
const ID = 'tip'
const GAP_PX = 5
const EDGE_PX = 8

type By = 'pointer' | 'focus'

interface Shown {
  target: Element
  text: string
  by: By
}

/** Pages have hundreds of names that may be cut: each carries a word in its markup, and only this listens. */
export function Tip() {
  const box = useRef<HTMLDivElement>(null)
  const [shown, show] = useState<Shown | null>(null)
  const [place, setPlace] = useState<CSSProperties>({})
  useTargets(show)

  const target = shown?.target
  const follow = useCallback(() => {
    if (target !== undefined && box.current !== null) setPlace(placeOf(target, box.current))
  }, [target])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another size
  useLayoutEffect(follow, [follow, shown?.text])
  useEffect(() => {
    if (target === undefined) return
    target.setAttribute('aria-describedby', ID)
    window.addEventListener('scroll', follow, { capture: true, passive: true })
    window.addEventListener('resize', follow)
    const changes = new MutationObserver(() => show((now) => (now?.target === target ? stillShown(now) : now)))
    changes.observe(document.body, { childList: true, subtree: true, attributeFilter: [TIP] })
    return () => {
      target.removeAttribute('aria-describedby')
      window.removeEventListener('scroll', follow, { capture: true })
      window.removeEventListener('resize', follow)
      changes.disconnect()
    }
  }, [target, follow])

  if (shown === null) return null
  return (
    <div ref={box} id={ID} role="tooltip" className={styles.tip} style={place}>
      <bdi>{shown.text}</bdi>
    </div>
  )
}

/** Null where the element says nothing (any more) or is gone. */
function shownFor(target: Element | null, by: By): Shown | null {
  const text = target?.isConnected ? target.getAttribute(TIP) : null
  return target === null || text === null || text === '' ? null : { target, text, by }
}

function stillShown(now: Shown): Shown | null {
  const found = shownFor(now.target, now.by)
  return found?.text === now.text ? now : found
}

const carrierOf = ({ target }: Event) => (target instanceof Element ? target.closest(`[${TIP}]`) : null)

function useTargets(show: (change: (now: Shown | null) => Shown | null) => void) {
  useEffect(() => {
    const end = new AbortController()
    const listen = <Type extends keyof DocumentEventMap>(type: Type, heard: (event: DocumentEventMap[Type]) => void) =>
      document.addEventListener(type, heard, { signal: end.signal })
    // What the keyboard has found stays while the pointer crosses the rest of the page.
    const leave = (by: By) => show((now) => (now?.by === by ? null : now))
    const enter = (carrier: Element | null, by: By) => {
      const found = shownFor(carrier, by)
      if (found === null) leave(by)
      else show((now) => (now?.target === found.target ? now : found))
    }
    listen('pointerover', (event) => enter(carrierOf(event), 'pointer'))
    listen('pointerout', ({ relatedTarget }) => relatedTarget === null && leave('pointer'))
    listen('focusin', (event) => {
      const carrier = carrierOf(event)
      if (carrier?.matches(':focus-visible, :has(:focus-visible)')) enter(carrier, 'focus')
    })
    listen('focusout', () => leave('focus'))
    listen('keydown', ({ key }) => key === 'Escape' && show(() => null))
    return () => end.abort()
  }, [show])
}

/** Above its target, below where there is no room, never over the edge of the screen. */
function placeOf(target: Element, box: HTMLElement): CSSProperties {
  const about = target.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const above = about.top - GAP_PX - height
  const left = Math.min(
    about.left + about.width / 2 - width / 2,
    document.documentElement.clientWidth - EDGE_PX - width,
  )
  return { left: Math.max(EDGE_PX, left), top: above >= EDGE_PX ? above : about.bottom + GAP_PX }
}

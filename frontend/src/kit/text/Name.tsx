/** A name from outside: cut in the middle, whole on hover and focus and when it is read aloud, never markup. */

import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import type { FlatSearch } from '../../lib/search'
import { partsForCut, visibleName } from '../../lib/text'
import styles from './Name.module.css'

interface NameProps {
  children: string
  /** Shows the whole name over several lines instead of cutting it: for headings. */
  whole?: boolean
  /** Makes a cut name reachable by keyboard; off inside links and buttons, which are reachable already. */
  focusable?: boolean
}

export function Name({ children, whole = false, focusable = false }: NameProps) {
  const name = visibleName(children)
  const [isCut, measure] = useIsCut()
  if (whole) {
    return (
      <bdi className="breaks" dir="auto">
        {name}
      </bdi>
    )
  }
  return (
    <bdi
      className={`${styles.name} inline narrow relative`}
      dir="auto"
      data-tip={isCut ? name : undefined}
      tabIndex={focusable && isCut ? 0 : undefined}
    >
      <Cut name={name} measure={measure} />
    </bdi>
  )
}

/** A name that leads somewhere. It is read as one word, however it is cut. */
export function NameLink({ children, to, search }: { children: string; to: string; search?: FlatSearch }) {
  const name = visibleName(children)
  const [isCut, measure] = useIsCut()
  return (
    <Link
      to={to}
      {...(search && { search: search as never })}
      className="name-link inline narrow ink medium"
      aria-label={name}
      data-tip={isCut ? name : undefined}
    >
      <bdi className={`${styles.name} inline narrow relative`} dir="auto">
        <Cut name={name} measure={measure} isNamed />
      </bdi>
    </Link>
  )
}

interface CutProps {
  name: string
  measure: (element: HTMLElement | null) => void
  /** What it stands in has the whole name already. */
  isNamed?: boolean
}

/** Pieces are for the eye: they would be read aloud one by one, so the whole name is there once for that; what is copied are the pieces. */
function Cut({ name, measure, isNamed = false }: CutProps) {
  const { head, tail, domain } = partsForCut(name)
  const isOnePiece = tail === '' && domain === ''
  return (
    <>
      {!isOnePiece && !isNamed && <span className="spoken">{name}</span>}
      <span className={`${styles.pieces} flex narrow`} aria-hidden={!isOnePiece}>
        <span className={`${styles.head} ends narrow`} ref={measure}>
          {head}
        </span>
        {tail !== '' && (
          <span className={`${styles.tail} ends narrow`}>
            <span className={styles.end}>{tail}</span>
          </span>
        )}
        {domain !== '' && <span className={`${styles.domain} ends narrow`}>{domain}</span>}
      </span>
    </>
  )
}

/** With less than this of its beginning in sight a name is told by its end alone. */
const LEAST_HEAD_EM = 1.5

/** Whether the text of an element or of those beside it does not fit, followed as its width changes. */
function useIsCut() {
  const [isCut, setCut] = useState(false)
  const measure = useCallback((head: HTMLElement | null) => {
    const pieces = head?.parentElement
    if (!head || !pieces) return
    const parts = [...pieces.children]
    let frame = 0
    const update = () => {
      setCut(parts.some(isTooNarrow))
      const isByEnd = isTooNarrow(head) && head.clientWidth < LEAST_HEAD_EM * fontPx(head)
      // Not while sizes are being told: this changes them.
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => pieces.toggleAttribute('data-by-end', isByEnd))
    }
    const observer = new ResizeObserver(update)
    for (const part of parts) observer.observe(part)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [])
  return [isCut, measure] as const
}

const isTooNarrow = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth

const fontPx = (element: Element) => Number.parseFloat(getComputedStyle(element).fontSize)

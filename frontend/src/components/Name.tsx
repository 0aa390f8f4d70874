/** A name from outside: cut in the middle, whole on hover and focus, never markup. */

import { Tooltip } from '@mantine/core'
import { useCallback, useState } from 'react'
import { splitForMiddle, visibleName } from '../lib/text'
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
  const [isCut, setCut] = useState(false)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return
    const update = () => setCut(element.scrollWidth > element.clientWidth)
    const observer = new ResizeObserver(update)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  if (whole) {
    return (
      <bdi className={styles.wrapped} dir="auto">
        {name}
      </bdi>
    )
  }
  const { head, tail } = splitForMiddle(name)
  return (
    <Tooltip
      label={<bdi className={styles.tooltip}>{name}</bdi>}
      disabled={!isCut}
      events={{ hover: true, focus: true, touch: true }}
      multiline
    >
      <bdi className={styles.name} dir="auto" tabIndex={focusable && isCut ? 0 : undefined}>
        <span className={styles.head} ref={measure}>
          {head}
        </span>
        {tail !== '' && <span className={styles.tail}>{tail}</span>}
      </bdi>
    </Tooltip>
  )
}

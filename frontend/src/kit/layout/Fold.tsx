/** A part of a page that is opened on request. */

import { type ReactNode, useId } from 'react'
import { Icon } from '../mark/Icon'
import styles from './Fold.module.css'

interface FoldProps {
  title: string
  /** What is inside, in a few words, for those who have not opened it. */
  hint: string
  open: boolean
  onOpen: (open: boolean) => void
  children: ReactNode
}

export function Fold({ title, hint, open, onOpen, children }: FoldProps) {
  const id = useId()
  return (
    <section className={styles.fold} aria-label={title}>
      <h2 className={styles.head}>
        <button
          type="button"
          className={styles.button}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => onOpen(!open)}
        >
          <span className={styles.arrow} data-open={open}>
            <Icon name="right" />
          </span>
          <span className={styles.title}>{title}</span>
          <span className={styles.hint}>{hint}</span>
        </button>
      </h2>
      {open && (
        <div id={id} className={styles.body}>
          {children}
        </div>
      )}
    </section>
  )
}

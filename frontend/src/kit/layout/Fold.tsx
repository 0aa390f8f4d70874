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
    <section className="narrow" aria-label={title}>
      <h2 className="regular">
        <button
          type="button"
          className={`${styles.button} plain surface flex wrap baseline full gap-words`}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => onOpen(!open)}
        >
          <span className="arrow inline middle muted" data-open={open}>
            <Icon name="right" />
          </span>
          <span className="title">{title}</span>
          <span className={`${styles.hint} quiet`}>{hint}</span>
        </button>
      </h2>
      {open && (
        <div id={id} className={`${styles.body} stack gap-16`}>
          {children}
        </div>
      )}
    </section>
  )
}

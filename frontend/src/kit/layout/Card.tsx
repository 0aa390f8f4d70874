import { type ReactNode, useId } from 'react'
import styles from './Card.module.css'

interface CardProps {
  title: ReactNode
  hint?: ReactNode
  actions?: ReactNode
  /** Content that brings its own edges, such as a table. */
  flush?: boolean
  /** Its content takes the height that the card is given. */
  fill?: boolean
  /** As high as what stands beside it. */
  stretch?: boolean
  /** Its name in addresses: links on the page lead to it and bring the keyboard along. */
  anchor?: string
  children: ReactNode
}

/** A titled region of a page. */
export function Card({
  title,
  hint,
  actions,
  flush = false,
  fill = false,
  stretch = false,
  anchor,
  children,
}: CardProps) {
  const id = useId()
  return (
    <section
      className={['surface narrow', fill && 'column', stretch && styles.stretch].filter(Boolean).join(' ')}
      aria-labelledby={id}
      id={anchor}
      tabIndex={anchor === undefined ? undefined : -1}
    >
      <header className={`${styles.head} flex wrap baseline gap-words`}>
        <h2 id={id} className="narrow title">
          {title}
        </h2>
        {hint !== undefined && <div className={`${styles.hint} quiet`}>{hint}</div>}
        {actions !== undefined && <div className={`${styles.actions} row push gap-4`}>{actions}</div>}
      </header>
      <div className={[!flush && styles.body, fill && 'column grow'].filter(Boolean).join(' ') || undefined}>
        {children}
      </div>
    </section>
  )
}

/** The head of every page about alerts: what it is, the way to the others, and who may change things. */

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import * as navigationCopy from '../../copy/navigation'
import { ReadOnlyHint } from '../../domain/access/ReadOnlyHint'
import styles from './Alerts.module.css'

const TABS = [
  ['/alerts', navigationCopy.alerts],
  ['/alerts/rules', navigationCopy.rules],
  ['/alerts/silences', navigationCopy.silences],
  ['/alerts/channels', navigationCopy.channels],
] as const

interface AlertsFrameProps {
  title: string
  hint?: ReactNode
  actions?: ReactNode
  /** What needs the admin here: "add or change rules". */
  todo: string
  children: ReactNode
}

export function AlertsFrame({ title, hint, actions, todo, children }: AlertsFrameProps) {
  return (
    <div className="stack gap-16">
      <header className="row wrap gap-wrap">
        <h1 className="page-title">{title}</h1>
        {hint}
        {actions !== undefined && <div className={`${styles.push} flex wrap push gap-8`}>{actions}</div>}
      </header>
      <nav className={`${styles.tabs} flex gap-4`} aria-label={navigationCopy.alertPages}>
        {TABS.map(([to, word]) => (
          <Link
            key={to}
            to={to as string}
            className={`${styles.tab} choice fixed muted medium`}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {word}
          </Link>
        ))}
      </nav>
      <ReadOnlyHint todo={todo} />
      {children}
    </div>
  )
}

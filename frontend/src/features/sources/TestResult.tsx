/** The place of a test's result: it has the focus from the press on, says that the test runs, and then what it found. */

import { type ReactNode, useEffect, useRef } from 'react'
import * as sourcesCopy from '../../copy/sources'
import styles from './SourcesPage.module.css'

interface TestResultProps {
  isRunning: boolean
  children: ReactNode
}

export function TestResult({ isRunning, children }: TestResultProps) {
  const place = useRef<HTMLElement>(null)
  // The button that was pressed is off while the test runs, or gone: what has no focus then would begin at the page's top.
  useEffect(() => {
    if (isRunning) place.current?.focus({ preventScroll: true })
    // It stands under the form, out of sight of whoever pressed the button: each new one is brought there.
    // What it answers (a promise, by now) is no way to undo it.
    place.current?.scrollIntoView({ block: 'start' })
  }, [isRunning])
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label={sourcesCopy.testResult}
      role="status"
      className={`${styles.result} grid gap-8`}
    >
      {isRunning ? <p className="muted">{sourcesCopy.testRunning}</p> : children}
    </section>
  )
}

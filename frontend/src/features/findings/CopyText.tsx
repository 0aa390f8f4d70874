import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import * as commonCopy from '../../copy/common'
import * as findingsCopy from '../../copy/findings'
import { columnWidths } from '../../kit/layout/columns'
import styles from './Findings.module.css'

const SHOWN_MS = 2000

/** A command as it is typed, and a button that copies it. Browsers copy for pages on https alone: elsewhere it is selected. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const code = useRef<HTMLElement>(null)
  const [done, setDone] = useState('')

  async function copy() {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    if (!isCopied && code.current !== null) window.getSelection()?.selectAllChildren(code.current)
    setDone(isCopied ? commonCopy.copied : findingsCopy.selected)
    setTimeout(() => setDone(''), SHOWN_MS)
  }

  return (
    <div className="columns middle gap-8" style={columnWidths('56px minmax(0, 1fr) auto', 'minmax(0, 1fr) auto')}>
      <span className="quiet across-on-phones">{label}</span>
      <code ref={code} className={`${styles.code} size-label breaks`}>
        {text}
      </code>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={findingsCopy.copyNamed(label)}
        aria-live="polite"
        onClick={() => void copy()}
      >
        {done === '' ? findingsCopy.copyCommand : done}
      </Button>
    </div>
  )
}

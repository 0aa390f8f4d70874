/** From the diagnosis straight to the numbers that prove it: by click and by keyboard. */

import type { MouseEvent } from 'react'
import type { Evidence } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import { Icon } from '../../kit/mark/Icon'
import styles from './Evidence.module.css'
import { EVIDENCE, evidenceWords, goToEvidence } from './evidenceSides'

export function EvidenceLink({ evidence }: { evidence: readonly Pick<Evidence, 'side'>[] }) {
  // The address stays as it is: what is judged is in there, and the way back is the browser's.
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    goToEvidence()
  }
  return (
    <p className={styles.way}>
      <a href={`#${EVIDENCE}`} onClick={follow}>
        <Icon name="down" size={14} />
        {countersCopy.showEvidence}
      </a>
      <span className="muted">{evidenceWords(evidence)}</span>
    </p>
  )
}

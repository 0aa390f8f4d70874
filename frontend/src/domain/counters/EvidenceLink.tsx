/** From the diagnosis straight to the counters behind it: by click and by keyboard. */

import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import type { Evidence } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import { useSetSearch } from '../../lib/url'
import { TAB } from '../parameters'
import { EVIDENCE, evidenceWords, goToEvidence } from './evidenceSides'

const COUNTERS = { [TAB.name]: 'counters' }

export function EvidenceLink({ evidence }: { evidence: readonly Pick<Evidence, 'side'>[] }) {
  const setSearch = useSetSearch()
  // The keyboard goes along; in a tab of its own the address leads there.
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    setSearch(COUNTERS)
    goToEvidence()
  }
  const search = (before: object) => ({ ...before, ...COUNTERS })
  return (
    <span>
      <Link to="." search={search as never} hash={EVIDENCE} onClick={follow}>
        {countersCopy.showEvidence}
      </Link>{' '}
      <span className="muted">{evidenceWords(evidence)}</span>
    </span>
  )
}

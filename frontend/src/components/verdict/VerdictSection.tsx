/** Whose latency it is, and the proof: verdict, where the time went, over time, where the I/Os are, who takes part, raw numbers. */

import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type JudgedKind, verdictQuery } from '../../api/verdicts'
import { DataState } from '../DataState'
import { Later } from '../Later'
import { VerdictSkeleton } from './Skeletons'
import { useVerdictWindow } from './SpanSwitch'
import styles from './Verdict.module.css'
import { VerdictCard } from './VerdictCard'

const Proof = lazy(() => import('./Proof'))

export interface VerdictSectionProps {
  kind: JudgedKind
  id: number
  name: string
}

/** `children`: what the page has below. It waits for the proof, which would move it. */
export function VerdictSection({ kind, id, name, children }: VerdictSectionProps & { children: ReactNode }) {
  const window = useVerdictWindow()
  const verdict = useQuery(verdictQuery(kind, id, window))
  const [isProven, setProven] = useState(false)
  return (
    <>
      <div className={styles.section}>
        <DataState query={verdict} skeleton={<VerdictSkeleton />}>
          {(found) => (
            <>
              <VerdictCard verdict={found} />
              <Later>
                <Suspense fallback={<span hidden aria-busy="true" />}>
                  <Proof {...{ kind, id, name, window }} verdict={found} onShown={setProven} />
                </Suspense>
              </Later>
            </>
          )}
        </DataState>
      </div>
      {isProven || verdict.isError ? <Later whenIdle>{children}</Later> : <span hidden aria-busy="true" />}
    </>
  )
}

/** Whose latency it is, and the proof: diagnosis, where the time went, over time, where the I/Os are, who takes part, raw numbers. */

import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { diagnosisQuery } from '../../api/diagnoses'
import { Later } from '../../kit/schedule/Later'
import { DataState } from '../../kit/state/DataState'
import type { DiagnosedObject } from '../kinds'
import styles from './Diagnosis.module.css'
import { DiagnosisCard } from './DiagnosisCard'
import { DiagnosisSkeleton } from './Skeletons'
import { useDiagnosisWindow } from './SpanSwitch'

const Proof = lazy(() => import('./Proof'))

/** `children`: what the page has below. It waits for the proof, which would move it. */
export function DiagnosisSection({ kind, id, name, children }: DiagnosedObject & { children: ReactNode }) {
  const window = useDiagnosisWindow()
  const diagnosis = useQuery(diagnosisQuery(kind, id, window))
  const [isProven, setProven] = useState(false)
  return (
    <>
      <div className={styles.section}>
        <DataState query={diagnosis} skeleton={<DiagnosisSkeleton />}>
          {(found) => (
            <>
              <DiagnosisCard diagnosis={found} />
              <Later>
                <Suspense fallback={<span hidden aria-busy="true" />}>
                  <Proof {...{ kind, id, name, window }} diagnosis={found} onShown={setProven} />
                </Suspense>
              </Later>
            </>
          )}
        </DataState>
      </div>
      {isProven || diagnosis.isError ? <Later whenIdle>{children}</Later> : <span hidden aria-busy="true" />}
    </>
  )
}

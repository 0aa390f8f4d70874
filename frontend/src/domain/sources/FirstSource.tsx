/** Where nothing is polled yet, or only one side: what Gavel needs, what to have at hand, and the way to begin. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sourceKindsQuery } from '../../api/queries'
import type { SourceKind } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { Card } from '../../kit/layout/Card'
import { EmptyState } from '../../kit/state/DataState'
import { AtHand } from './AtHand'
import styles from './AtHand.module.css'

export function FirstSource({ add }: { add: ReactNode }) {
  return <EmptyState title={sourcesCopy.noSources} text={<Needed />} action={add} />
}

/** What diagnoses still need: they are made of the numbers of both sides. */
export function StillMissing({ kinds, add }: { kinds: readonly SourceKind[]; add: ReactNode }) {
  return (
    <Card title={sourcesCopy.missingSources} hint={sourcesCopy.bothSidesNeeded}>
      <div className={`${styles.next} grid gap-8`}>
        <AtHand kinds={kinds} isNamed />
        {add}
      </div>
    </Card>
  )
}

function Needed() {
  const kinds = useQuery(sourceKindsQuery())
  return (
    <div className={`${styles.first} grid gap-12`}>
      <p>{sourcesCopy.firstSourceText}</p>
      <AtHand kinds={kinds.data ?? []} isNamed />
    </div>
  )
}

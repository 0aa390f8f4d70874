/** Where nothing is polled yet, or only one side: what Gavel needs, what to have at hand, and the way to begin. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sourceKindsQuery } from '../api/queries'
import type { SourceKind } from '../api/types'
import { AtHand } from './AtHand'
import styles from './AtHand.module.css'
import { Card } from './Card'
import { EmptyState } from './DataState'

export function FirstSource({ add }: { add: ReactNode }) {
  return <EmptyState title="No source is polled yet" text={<Needed />} action={add} />
}

/** What verdicts still need: they are made of the numbers of both sides. */
export function StillMissing({ kinds, add }: { kinds: readonly SourceKind[]; add: ReactNode }) {
  return (
    <Card title="What is still missing" hint="verdicts need the numbers of both sides">
      <div className={styles.next}>
        <AtHand kinds={kinds} isNamed />
        {add}
      </div>
    </Card>
  )
}

function Needed() {
  const kinds = useQuery(sourceKindsQuery())
  return (
    <div className={styles.first}>
      <p>Gavel needs an array and a vCenter. It only reads from them and never changes a setting. Have at hand:</p>
      <AtHand kinds={kinds.data ?? []} isNamed />
    </div>
  )
}

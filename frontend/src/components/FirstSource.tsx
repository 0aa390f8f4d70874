/** Where nothing is polled yet: what Gavel needs, what to have at hand, and the way to begin. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sourceKindsQuery } from '../api/queries'
import { AtHand } from './AtHand'
import styles from './AtHand.module.css'
import { EmptyState } from './DataState'

export function FirstSource({ add }: { add: ReactNode }) {
  return <EmptyState title="No source is polled yet" text={<Needed />} action={add} />
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

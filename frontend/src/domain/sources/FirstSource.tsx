/** Where nothing is polled yet, or only one side: what Gavel needs, what to have at hand, and the way to begin. */

import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sourceKindsQuery } from '../../api/queries'
import type { SourceKind } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { Card } from '../../kit/layout/Card'
import { EmptyState } from '../../kit/state/DataState'
import { AtHand } from './AtHand'

export function FirstSource({ add }: { add: ReactNode }) {
  return <EmptyState title={sourcesCopy.noSources} text={<Needed />} action={add} />
}

/** What diagnoses still need: they are made of the numbers of both sides. */
export function StillMissing({ kinds, add }: { kinds: readonly SourceKind[]; add: ReactNode }) {
  return (
    <Card title={sourcesCopy.missingSources} hint={sourcesCopy.bothSidesNeeded}>
      <Stack align="flex-start" gap={8}>
        <AtHand kinds={kinds} isNamed />
        {add}
      </Stack>
    </Card>
  )
}

function Needed() {
  const kinds = useQuery(sourceKindsQuery())
  return (
    <Stack gap={12} pb={8}>
      <p>{sourcesCopy.firstSourceText}</p>
      <AtHand kinds={kinds.data ?? []} isNamed />
    </Stack>
  )
}

/** Is the data good? Every source with its health, the way to add, change, test and remove one, and what is on one side only. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { sourceKindsQuery, sourcesQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { SourceOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as navigationCopy from '../../copy/navigation'
import * as sourcesCopy from '../../copy/sources'
import { ReadOnlyHint } from '../../domain/access/ReadOnlyHint'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { DIALOG } from '../../domain/parameters'
import { FirstSource, StillMissing } from '../../domain/sources/FirstSource'
import { missingKinds } from '../../domain/sources/missingKinds'
import { worstFirst } from '../../domain/sources/SourceMark'
import { Card } from '../../kit/layout/Card'
import { Icon } from '../../kit/mark/Icon'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { OFFLINE } from '../../lib/offline'
import { useParameter } from '../../lib/url'
import { GuestsCard } from './GuestsCard'
import { SourceCard } from './SourceCard'
import { StorageCard } from './StorageCard'
import { summary } from './sourceWords'
import { UnmatchedCard } from './UnmatchedCard'

const ImportsCard = lazy(async () => ({ default: (await import('./ImportsCard')).ImportsCard }))
const MeaningsCard = lazy(async () => ({ default: (await import('./MeaningsCard')).MeaningsCard }))
const OfflineCard = lazy(async () => ({ default: (await import('./OfflineCard')).OfflineCard }))
const RemoveDialog = onPress(async () => (await import('./RemoveDialog')).RemoveDialog)
const SourceDialog = onPress(async () => (await import('./SourceDialog')).SourceDialog)

type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; source: SourceOut } | null

export default function SourcesPage() {
  useAhead(RemoveDialog, SourceDialog)
  const query = useQuery(sourcesQuery())
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<Dialog>(null)
  // A page without a source leads here, before or after signing in.
  const [asked, setAsked] = useParameter(DIALOG)
  const shown: Dialog = dialog ?? (isAdmin && asked === 'add' ? { kind: 'add' } : null)
  const close = () => {
    setDialog(null)
    if (asked !== '') setAsked('', { replace: true })
  }
  const add = (
    <Button leftSection={<Icon name="plus" />} disabled={!isAdmin} onClick={() => setDialog({ kind: 'add' })}>
      {commonCopy.addSource}
    </Button>
  )
  return (
    <div className="stack gap-16">
      <header className="row wrap gap-wrap">
        <h1 className="page-title">{navigationCopy.sources}</h1>
        {query.data && query.data.length > 0 && <span className="muted">{summary(query.data)}</span>}
        <div className="push">{add}</div>
      </header>
      <ReadOnlyHint todo={sourcesCopy.todo} />
      <DataState query={query} whole skeleton={<SourcesSkeleton />}>
        {(sources) => (
          <>
            {sources.length === 0 && <FirstSource add={add} />}
            {worstFirst(sources).map((source) => (
              <SourceCard
                key={source.id}
                source={source}
                onEdit={() => setDialog({ kind: 'edit', source })}
                onRemove={() => setDialog({ kind: 'remove', source })}
              />
            ))}
            {sources.length > 0 && <NextCard sources={sources} add={add} />}
            {sources.length > 0 && (
              <Suspense fallback={<CardSkeleton height={170} />}>
                <MeaningsCard />
              </Suspense>
            )}
            {sources.length > 0 && <GuestsCard />}
            {sources.length > 0 && (
              <Suspense fallback={<CardSkeleton height={170} />}>
                <ImportsCard />
              </Suspense>
            )}
            {OFFLINE === null && (
              <Suspense fallback={<CardSkeleton height={170} />}>
                <OfflineCard />
              </Suspense>
            )}
            {sources.length > 0 && <StorageCard />}
          </>
        )}
      </DataState>
      {shown?.kind === 'add' && <SourceDialog source={null} onClose={close} />}
      {shown?.kind === 'edit' && <SourceDialog source={shown.source} onClose={close} />}
      {shown?.kind === 'remove' && <RemoveDialog source={shown.source} onClose={close} />}
    </div>
  )
}

/** What is still missing for diagnoses; with both sides there, what of them does not fit together. */
function NextCard({ sources, add }: { sources: readonly SourceOut[]; add: ReactNode }) {
  const kinds = useQuery(sourceKindsQuery())
  const missing = missingKinds(kinds.data ?? [], sources)
  if (missing.length === 0) return <UnmatchedCard />
  return <StillMissing kinds={missing} add={add} />
}

function SourcesSkeleton() {
  return (
    <div className="stack gap-16">
      {['first', 'second'].map((which) => (
        <Card key={which} title={commonCopy.source} hint={commonCopy.loading}>
          <Skeleton height={170} />
        </Card>
      ))}
    </div>
  )
}

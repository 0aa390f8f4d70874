import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { overviewQuery } from '../../api/diagnoses'
import { sourceKindsQuery, sourcesQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { AlertOut, SourceKind } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as navigationCopy from '../../copy/navigation'
import * as overviewCopy from '../../copy/overview'
import * as sessionCopy from '../../copy/session'
import { ReadOnlyHint } from '../../domain/access/ReadOnlyHint'
import { AlertsLine } from '../../domain/alerts/AlertsLine'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { FirstSource, StillMissing } from '../../domain/sources/FirstSource'
import { missingKinds } from '../../domain/sources/missingKinds'
import { Icon } from '../../kit/mark/Icon'
import { DataAge } from '../../kit/state/DataAge'
import { DataState } from '../../kit/state/DataState'
import { InItsTime } from '../../lib/search'
import { instantMs } from '../../lib/time'
import { EnvironmentCard } from './EnvironmentCard'
import styles from './Overview.module.css'
import { RankingCard } from './RankingCard'
import { unfiltered } from './ranking'
import { SourcesStrip } from './SourcesStrip'
import { useRanking } from './useRanking'

const TreemapCard = lazy(async () => ({ default: (await import('./TreemapCard')).TreemapCard }))
const EnvironmentOverTime = lazy(async () => ({ default: (await import('./EnvironmentOverTime')).EnvironmentOverTime }))

const all = (alerts: readonly AlertOut[]) => alerts

/** What is elevated, whose it is, and since when; then the environment by layer over time. */
export default function OverviewPage() {
  return (
    <InItsTime>
      <Overview />
    </InItsTime>
  )
}

function Overview() {
  const ranking = useRanking()
  const { params } = ranking
  const query = useQuery(overviewQuery(unfiltered(params), 0))
  const sources = useQuery(sourcesQuery())
  const isEmpty = query.data?.total === 0
  const kinds = useQuery({ ...sourceKindsQuery(), enabled: isEmpty })
  const missing = missingKinds(kinds.data ?? [], sources.data ?? [])
  if (isEmpty && sources.data !== undefined && missing.length > 0)
    return <NothingYet missing={missing} isRead={sources.data.length > 0} />
  return (
    <div className="column narrow grow gap-16">
      <header className="row wrap gap-wrap">
        <h1 className="page-title">{navigationCopy.overview}</h1>
        {query.data && (
          <DataAge
            at_ms={instantMs(query.data.ledger_until_at)}
            ageText={diagnosisCopy.analyzedThrough}
            never={diagnosisCopy.notAnalyzed}
            isPlain={query.data.environment.state === 'no_data'}
          />
        )}
      </header>
      <SourcesStrip />
      <AlertsLine choose={all} most={4} />
      <DataState query={query} skeleton={<CardSkeleton height={290} />}>
        {(overview) => <EnvironmentCard overview={overview} kind={params.kind} />}
      </DataState>
      <RankingCard ranking={ranking} />
      <div className={`${styles.pair} stack gap-16`}>
        <Suspense fallback={<Awaited height={324} />}>
          <TreemapCard params={params} />
        </Suspense>
        <Suspense fallback={<Awaited height={330} />}>
          <EnvironmentOverTime />
        </Suspense>
      </div>
    </div>
  )
}

/** In place of a chart whose code is not there yet. */
function Awaited({ height }: { height: number }) {
  return (
    <div aria-busy="true">
      <CardSkeleton height={height} />
    </div>
  )
}

interface NothingYetProps {
  missing: readonly SourceKind[]
  /** Whether anything is polled. */
  isRead: boolean
}

/** Before both sides are polled every card would be an empty one. */
function NothingYet({ missing, isRead }: NothingYetProps) {
  const { isAdmin } = useSession()
  const add = isAdmin && (
    <Button component={Link} to="/sources" search={{ do: 'add' } as never} leftSection={<Icon name="plus" />}>
      {commonCopy.addSource}
    </Button>
  )
  return (
    <div className="column narrow grow gap-16">
      <header className="row wrap gap-wrap">
        <h1 className="page-title">{navigationCopy.overview}</h1>
      </header>
      <ReadOnlyHint todo={sessionCopy.addSources} />
      {isRead ? (
        <>
          <SourcesStrip />
          <p>
            {overviewCopy.loadedUnder} <Link to={'/arrays' as string}>{navigationCopy.arrays}</Link>,{' '}
            <Link to={'/volumes' as string}>{navigationCopy.volumes}</Link>,{' '}
            <Link to={'/hosts' as string}>{navigationCopy.hosts}</Link> {overviewCopy.and}{' '}
            <Link to={'/vms' as string}>{navigationCopy.vms}</Link>
            {overviewCopy.freshnessUnder} <Link to={'/sources' as string}>{navigationCopy.sources}</Link>.
          </p>
          <StillMissing kinds={missing} add={add} />
        </>
      ) : (
        <FirstSource add={add} />
      )}
    </div>
  )
}

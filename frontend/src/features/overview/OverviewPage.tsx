import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { sourceKindsQuery, sourcesQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { AlertOut, SourceKind } from '../../api/types'
import { overviewQuery } from '../../api/verdicts'
import { AlertsLine } from '../../components/alerts/AlertsLine'
import { DataAge } from '../../components/DataAge'
import { DataState } from '../../components/DataState'
import { FirstSource, StillMissing } from '../../components/FirstSource'
import { Icon } from '../../components/Icon'
import { missingKinds } from '../../components/missingKinds'
import { ReadOnlyHint } from '../../components/ReadOnlyHint'
import { CardSkeleton } from '../../components/verdict/Skeletons'
import { SpanSwitch } from '../../components/verdict/SpanSwitch'
import { InItsTime } from '../../lib/search'
import { instantMs } from '../../lib/time'
import { EstateCard } from './EstateCard'
import styles from './Overview.module.css'
import { RankingCard } from './RankingCard'
import { unfiltered } from './ranking'
import { SourcesStrip } from './SourcesStrip'
import { useRanking } from './useRanking'

const TreemapCard = lazy(async () => ({ default: (await import('./TreemapCard')).TreemapCard }))
const EstateOverTime = lazy(async () => ({ default: (await import('./EstateOverTime')).EstateOverTime }))

const all = (alerts: readonly AlertOut[]) => alerts

/** Where is time lost right now: the estate by layer, then who loses most. */
export default function OverviewPage() {
  return (
    <InItsTime>
      <Overview />
    </InItsTime>
  )
}

function Overview() {
  const { params } = useRanking()
  const query = useQuery(overviewQuery(unfiltered(params), 0))
  const sources = useQuery(sourcesQuery())
  const isEmpty = query.data?.total === 0
  const kinds = useQuery({ ...sourceKindsQuery(), enabled: isEmpty })
  const missing = missingKinds(kinds.data ?? [], sources.data ?? [])
  if (isEmpty && sources.data !== undefined && missing.length > 0)
    return <NothingYet missing={missing} isRead={sources.data.length > 0} />
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>Overview</h1>
        {query.data && (
          <DataAge
            at_ms={instantMs(query.data.ledger_until_at)}
            of="newest judged minute"
            never="nothing judged yet"
            isPlain={query.data.estate.state === 'no_data'}
          />
        )}
        <div className={styles.right}>
          <SpanSwitch />
        </div>
      </header>
      <SourcesStrip />
      <AlertsLine choose={all} most={4} />
      <DataState query={query} skeleton={<CardSkeleton height={221} />}>
        {(overview) => <EstateCard overview={overview} kind={params.kind} />}
      </DataState>
      <div className={styles.pair}>
        <Suspense fallback={<Awaited height={324} />}>
          <TreemapCard params={params} />
        </Suspense>
        <Suspense fallback={<Awaited height={330} />}>
          <EstateOverTime />
        </Suspense>
      </div>
      <RankingCard params={params} />
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
      Add a source
    </Button>
  )
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>Overview</h1>
      </header>
      <ReadOnlyHint todo="add sources" />
      {isRead ? (
        <>
          <SourcesStrip />
          <p>
            What is read already stands under <Link to={'/arrays' as string}>Arrays</Link>,{' '}
            <Link to={'/volumes' as string}>Volumes</Link>, <Link to={'/hosts' as string}>Hosts</Link> and{' '}
            <Link to={'/vms' as string}>VMs</Link>; how well, under <Link to={'/sources' as string}>Sources</Link>.
          </p>
          <StillMissing kinds={missing} add={add} />
        </>
      ) : (
        <FirstSource add={add} />
      )}
    </div>
  )
}

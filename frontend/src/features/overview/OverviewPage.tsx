import { useQuery } from '@tanstack/react-query'
import type { AlertOut } from '../../api/types'
import { overviewQuery } from '../../api/verdicts'
import { AlertsLine } from '../../components/alerts/AlertsLine'
import { DataAge } from '../../components/DataAge'
import { DataState } from '../../components/DataState'
import { CardSkeleton } from '../../components/verdict/Skeletons'
import { SpanSwitch } from '../../components/verdict/SpanSwitch'
import { InItsTime } from '../../lib/search'
import { instantMs } from '../../lib/time'
import { EstateCard } from './EstateCard'
import { EstateOverTime } from './EstateOverTime'
import styles from './Overview.module.css'
import { RankingCard } from './RankingCard'
import { unfiltered } from './ranking'
import { SourcesStrip } from './SourcesStrip'
import { TreemapCard } from './TreemapCard'
import { useRanking } from './useRanking'

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
        <TreemapCard params={params} />
        <EstateOverTime />
      </div>
      <RankingCard params={params} />
    </div>
  )
}

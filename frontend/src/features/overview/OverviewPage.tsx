import { useQuery } from '@tanstack/react-query'
import type { AlertOut } from '../../api/types'
import { overviewQuery } from '../../api/verdicts'
import { AlertsLine } from '../../components/alerts/AlertsLine'
import { DataAge } from '../../components/DataAge'
import { DataState } from '../../components/DataState'
import { CardSkeleton } from '../../components/verdict/Skeletons'
import { SpanSwitch } from '../../components/verdict/SpanSwitch'
import { instantMs } from '../../lib/time'
import { EstateCard } from './EstateCard'
import { EstateOverTime } from './EstateOverTime'
import styles from './Overview.module.css'
import { RankingCard } from './RankingCard'
import { SourcesStrip } from './SourcesStrip'
import { TreemapCard } from './TreemapCard'
import { useRanking } from './useRanking'

const all = (alerts: readonly AlertOut[]) => alerts

/** Where is time lost right now: the estate by layer, then who loses most. */
export default function OverviewPage() {
  const ranking = useRanking()
  const { window, kind, certainty, setCertainty } = ranking
  // The estate itself is not filtered: the same answer as the unfiltered ranking's.
  const params = { kind, window, search: '', layer: null, certainty: null, sort: '-impact', limit: 1 }
  const query = useQuery(overviewQuery(params, 0))
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
      <DataState query={query} skeleton={<CardSkeleton height={226} />}>
        {(overview) => <EstateCard overview={overview} kind={kind} chosen={certainty} onChoose={setCertainty} />}
      </DataState>
      <div className={styles.pair}>
        <TreemapCard ranking={ranking} />
        <EstateOverTime />
      </div>
      <RankingCard ranking={ranking} />
    </div>
  )
}

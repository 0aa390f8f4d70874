/** The estate on a wall: what it loses by layer, its six worst datastores, how its sources are. Grey is calm; colour means look here. */

import { useQuery } from '@tanstack/react-query'
import { sourcesQuery } from '../../api/queries'
import { serverNow } from '../../api/serverClock'
import type { Overview } from '../../api/types'
import { overviewQuery, type RankingParams } from '../../api/verdicts'
import { niceMax } from '../../charts/panels'
import { Icon } from '../../components/Icon'
import { Name } from '../../components/Name'
import { SourceMark } from '../../components/SourceMark'
import { StateMark } from '../../components/StateMark'
import { standingMark } from '../../components/verdict/certainty'
import { LayerBar, LayerSwatch } from '../../components/verdict/LayerBar'
import { ios } from '../../components/verdict/OccupancyCard'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatAge, formatClock, instantMs, zoneName } from '../../lib/time'
import { useNow } from '../../lib/useNow'
import { type AgeState, ageState } from './age'
import { useDailyReload } from './useDailyReload'
import styles from './Wall.module.css'
import { WorstRow } from './WorstRow'

const WORST: RankingParams = {
  kind: 'datastores',
  search: '',
  layer: null,
  certainty: null,
  sort: '-impact',
  window: null,
  limit: 6,
}

export function EstateBoard() {
  const query = useQuery(overviewQuery(WORST, 0))
  const { zone } = usePreferences()
  useNow()
  useDailyReload(query.error === null)
  const now = serverNow()
  const until_ms = instantMs(query.data?.ledger_until_at ?? null)
  const age_ms = until_ms === null ? null : Math.max(0, now - until_ms)
  return (
    <main className={styles.wall}>
      <header className={styles.head}>
        <h1 className={styles.title}>Estate</h1>
        <span className={styles.age}>{age_ms === null ? 'never judged' : `${formatAge(age_ms)} old`}</span>
        <time className={styles.clock}>
          {formatClock(now, zone, true)} <span className={styles.zone}>{zoneName(zone, now)}</span>
        </time>
      </header>
      {query.error !== null && <LostBanner since_ms={query.dataUpdatedAt} />}
      {query.data === undefined ? (
        <p className={styles.quiet} aria-busy={query.error === null}>
          {query.error === null ? 'Reading the estate …' : 'Nothing was read yet.'}
        </p>
      ) : (
        <Board overview={query.data} age={ageState(age_ms)} age_ms={age_ms} />
      )}
      <Sources />
    </main>
  )
}

function LostBanner({ since_ms }: { since_ms: number }) {
  const { zone } = usePreferences()
  return (
    <div className={styles.banner} role="alert">
      <Icon name="warning" size={40} />
      No answer from Gavel{since_ms > 0 && ` since ${formatClock(since_ms, zone, true)}`}. Trying again every 15 s.
    </div>
  )
}

function Board({ overview, age, age_ms }: { overview: Overview; age: AgeState; age_ms: number | null }) {
  const max_us = niceMax(Math.max(0, ...overview.items.map((row) => row.total_us ?? 0)))
  return (
    <>
      <EstateStrip overview={overview} age={age} />
      {overview.items.length === 0 ? (
        <p className={styles.quiet}>No datastore is known yet. Sources are added on the page Sources.</p>
      ) : (
        <ol className={styles.worst} aria-label="Worst datastores">
          {overview.items.map((row) => (
            <WorstRow key={row.subject.id} row={row} age={age} age_ms={age_ms} max_us={max_us} />
          ))}
        </ol>
      )}
    </>
  )
}

function EstateStrip({ overview: { estate, totals }, age }: { overview: Overview; age: AgeState }) {
  const inside = estate.occupancy.reduce((sum, layer) => sum + layer.ios, 0)
  const isBlank = age === 'blank'
  const troubled = ['certain', 'likely', 'undetermined'].reduce((sum, one) => sum + (totals.by_certainty[one] ?? 0), 0)
  return (
    <section className={styles.estate} data-age={age} aria-label="The estate by layer">
      <div className={styles.summary}>
        {isBlank ? (
          '—'
        ) : (
          <>
            <span className={styles.headline}>{estate.sentence}</span>
            <span className={styles.troubled} data-calm={troubled === 0}>
              <span className={styles.mark}>
                <StateMark {...standingMark(estate)} />
              </span>
              {estate.state !== 'no_data' && (
                <>
                  <span>
                    {troubled === 0 ? 'no datastore loses time' : `${plural(troubled, 'datastore')} over usual`}
                  </span>
                  <span>{ios(inside)} I/Os under way</span>
                </>
              )}
            </span>
          </>
        )}
      </div>
      <div className={styles.inside}>
        {isBlank ? (
          '—'
        ) : (
          <>
            <LayerBar
              tall
              pieces={estate.occupancy.map((layer) => ({ ...layer, size: layer.ios }))}
              max={Math.max(inside, 1e-9)}
              words={estate.occupancy.map((layer) => `${ios(layer.ios)} ${layer.label}`).join(', ') || 'no I/O'}
            />
            <ul className={styles.layers}>
              {estate.occupancy.map((layer) => (
                <li key={layer.name}>
                  <LayerSwatch layers={layer.layers} /> {ios(layer.ios)} {layer.label}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}

/** What is well needs no room: only how many are. */
function Sources() {
  const { data = [], error } = useQuery(sourcesQuery())
  const unwell = data.filter(({ state }) => state === 'failing' || state === 'late')
  const live = data.filter(({ state }) => state === 'live').length
  return (
    <footer className={styles.sources}>
      {error !== null ? (
        <span>Sources: —</span>
      ) : (
        <>
          <span>
            {live} of {plural(data.length, 'source')} live
          </span>
          {unwell.slice(0, 4).map((source) => (
            <span key={source.id} className={styles.source}>
              <SourceMark state={source.state} />
              <Name>{source.name}</Name>
            </span>
          ))}
          {unwell.length > 4 && <span>+{unwell.length - 4}</span>}
        </>
      )}
    </footer>
  )
}

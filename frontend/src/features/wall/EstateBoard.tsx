/** The estate on a wall: what it loses by layer, and the worst of one kind. Grey is calm; colour means look here. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Overview } from '../../api/types'
import { type JudgedKind, overviewQuery, type RankingParams } from '../../api/verdicts'
import { niceMax } from '../../charts/panels'
import { useAlertsAt } from '../../components/alerts/useAlertsAt'
import { StateMark } from '../../components/StateMark'
import { standingMark } from '../../components/verdict/certainty'
import { LayerBar, LayerSwatch } from '../../components/verdict/LayerBar'
import { ios } from '../../components/verdict/OccupancyCard'
import { meanWords, NOUNS, troubledOf, troubledWords } from '../../components/verdict/troubled'
import type { AgeState } from './age'
import styles from './Wall.module.css'
import { Waiting, WallFrame } from './WallFrame'
import { WorstRow } from './WorstRow'

interface EstateBoardProps {
  title: string
  of: JudgedKind
  rows: number
  turn?: string | undefined
}

export function EstateBoard({ title, of, rows, turn }: EstateBoardProps) {
  const params = useMemo<RankingParams>(
    () => ({ kind: of, search: '', layer: null, certainty: null, sort: '-impact', window: null, limit: rows }),
    [of, rows],
  )
  const query = useQuery(overviewQuery(params, 0))
  return (
    <WallFrame title={title} turn={turn} query={query} until_at={query.data?.ledger_until_at ?? null}>
      {(age, age_ms) =>
        query.data === undefined ? (
          <Waiting of="the estate" failed={query.error !== null} />
        ) : (
          <Board overview={query.data} of={of} age={age} age_ms={age_ms} />
        )
      }
    </WallFrame>
  )
}

interface BoardProps {
  overview: Overview
  of: JudgedKind
  age: AgeState
  age_ms: number | null
}

function Board({ overview, of, age, age_ms }: BoardProps) {
  const noun = NOUNS[of]
  const alertsAt = useAlertsAt()
  const max_us = niceMax(Math.max(0, ...overview.items.map((row) => row.total_us ?? 0)))
  return (
    <>
      <EstateStrip overview={overview} of={of} age={age} />
      {overview.items.length === 0 ? (
        <p className={styles.quiet}>No {noun} is known yet. Sources are added on the page Sources.</p>
      ) : (
        <ol className={styles.worst} aria-label={`Worst ${noun}s`}>
          {overview.items.map((row) => (
            <WorstRow
              key={row.subject.id}
              row={row}
              age={age}
              age_ms={age_ms}
              max_us={max_us}
              alerts={alertsAt(row.subject)}
            />
          ))}
        </ol>
      )}
    </>
  )
}

/** The mean over all I/Os can be as usual while somebody loses time: who does comes first. */
function EstateStrip({ overview: { estate, totals }, of, age }: Omit<BoardProps, 'age_ms'>) {
  const inside = estate.occupancy.reduce((sum, layer) => sum + layer.ios, 0)
  const isBlank = age === 'blank'
  const troubled = troubledOf(totals)
  return (
    <section className={styles.estate} data-age={age} aria-label="The estate by layer">
      <div className={styles.summary}>
        {isBlank ? (
          '—'
        ) : (
          <>
            <span className={styles.headline}>{troubled === 0 ? estate.sentence : troubledWords(totals, of)}</span>
            <span className={styles.troubled} data-calm={troubled === 0}>
              {(troubled === 0 || estate.certainty !== 'healthy') && (
                <span className={styles.mark}>
                  <StateMark {...standingMark(estate)} />
                </span>
              )}
              {estate.state !== 'no_data' && (
                <>
                  <span className={styles.mean}>{troubled === 0 ? troubledWords(totals, of) : meanWords(estate)}</span>
                  {troubled === 0 && <span>{ios(inside)} I/Os under way</span>}
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

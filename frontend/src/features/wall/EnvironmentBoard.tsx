/** The environment, or a group of VMs, on a wall: what it loses by layer, and the worst of one kind. Gray is calm; color means look here. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { overviewQuery, type RankingParams } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import { sourcesQuery } from '../../api/queries'
import type { Overview } from '../../api/types'
import { niceMax } from '../../charts/panels'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as unitsCopy from '../../copy/units'
import * as wallsCopy from '../../copy/walls'
import { useAlertsAt } from '../../domain/alerts/useAlertsAt'
import { ios } from '../../domain/breakdown/ios'
import { worthTelling } from '../../domain/breakdown/layerWords'
import { meanWords, troubledOf, troubledWords, worstOf } from '../../domain/diagnosis/troubled'
import { LayerBar, LayerSwatch } from '../../domain/io-path/LayerBar'
import { KIND } from '../../domain/kinds'
import { type GroupName, groupText } from '../../domain/object/group'
import { ConfidenceLabel } from '../../domain/severity/ConfidenceLabel'
import { SeverityMark } from '../../domain/severity/SeverityMark'
import { Name } from '../../kit/text/Name'
import { formatLatency } from '../../lib/units'
import type { AgeState } from './age'
import styles from './Wall.module.css'
import { Waiting, WallFrame } from './WallFrame'
import { WorstRow } from './WorstRow'
import { losingWords, nothingJudged } from './wallWords'

interface EnvironmentBoardProps {
  title: string
  of: EntityKind
  /** Of which the VMs are shown; without one, all. */
  group?: GroupName | undefined
  rows: number
  turn?: string | undefined
}

export function EnvironmentBoard({ title, of, group, rows, turn }: EnvironmentBoardProps) {
  const label = group === undefined ? undefined : groupText(group)
  const params = useMemo<RankingParams>(
    () => ({
      kind: of,
      filters: label === undefined ? {} : { label: [label] },
      sort: '-excess_outstanding',
      window: null,
      limit: rows,
    }),
    [of, label, rows],
  )
  const query = useQuery(overviewQuery(params, 0))
  return (
    <WallFrame title={title} turn={turn} query={query} until_at={query.data?.ledger_until_at ?? null}>
      {(age, age_ms) =>
        query.data === undefined ? (
          <Waiting of={label === undefined ? wallsCopy.environmentNoun : wallsCopy.groupNoun} error={query.error} />
        ) : (
          <Board overview={query.data} of={of} isGroup={label !== undefined} age={age} age_ms={age_ms} />
        )
      }
    </WallFrame>
  )
}

interface BoardProps {
  overview: Overview
  of: EntityKind
  isGroup: boolean
  age: AgeState
  age_ms: number | null
}

function Board({ overview, of, isGroup, age, age_ms }: BoardProps) {
  const noun = KIND[of].noun
  const alertsAt = useAlertsAt()
  const max_us = niceMax(Math.max(0, ...overview.items.map((row) => row.total_us ?? 0)))
  return (
    <>
      <EnvironmentStrip overview={overview} of={of} isGroup={isGroup} age={age} />
      {isGroup && overview.total === 0 ? (
        <p className={`${styles.quiet} grid grow muted`}>{wallsCopy.emptyGroup}</p>
      ) : isNothingKnown(overview) ? (
        <NothingJudged />
      ) : (
        <ol className={`${styles.worst} list grid grow`} aria-label={wallsCopy.worst(noun)}>
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
function EnvironmentStrip({ overview, of, isGroup, age }: Omit<BoardProps, 'age_ms'>) {
  const { environment, totals } = overview
  const { occupancy } = isGroup ? totals : environment
  const label = isGroup ? wallsCopy.groupByLayer : wallsCopy.environmentByLayer
  const inside = occupancy.reduce((sum, layer) => sum + layer.ios, 0)
  if (age === 'blank')
    return (
      <section className={`${styles.environment} grid middle`} data-age={age} aria-label={label}>
        —
      </section>
    )
  return (
    <section className={`${styles.environment} grid middle`} data-age={age} aria-label={label}>
      <Headline overview={overview} of={of} />
      <div className={`${styles.troubled} flex quiet`}>
        {!isGroup && (troubledOf(totals) === 0 || environment.severity !== 'normal') && (
          <span className={styles.mark}>
            <SeverityMark diagnosis={environment} /> <ConfidenceLabel diagnosis={environment} />
          </span>
        )}
        {environment.state !== 'no_data' && (
          <span className="clamp narrow">
            {isAnyJudged(overview)
              ? wallsCopy.meanOver(isGroup ? groupMean(totals) : meanWords(environment), minutesOf(overview))
              : troubledWords(totals, of)}
          </span>
        )}
      </div>
      <div className={styles.inside}>
        <LayerBar
          tall
          pieces={occupancy.map((layer) => ({ ...layer, size: layer.ios }))}
          max={Math.max(inside, 1e-9)}
          words={occupancy.map((layer) => `${ios(layer.ios)} ${layer.label}`).join(', ') || unitsCopy.noIo}
        />
        <ul className={`${styles.layers} flex wrap small`}>
          <li>{occupancy.length === 0 ? wallsCopy.noOutstanding : wallsCopy.outstanding(ios(inside))}</li>
          {worthTelling(occupancy, (layer) => layer.ios).map((layer) => (
            <li key={layer.name}>
              <LayerSwatch layers={layer.layers} /> {ios(layer.ios)} {layer.label}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** Each row would only say so again. */
const isNothingKnown = ({ items }: Overview) => items.every(({ state }) => state === 'no_data')

function NothingJudged() {
  const { data } = useQuery(sourcesQuery())
  return <p className={`${styles.quiet} grid grow muted`}>{nothingJudged(data)}</p>
}

const groupMean = ({ total_us }: Overview['totals']) =>
  diagnosisCopy.meanLatency(total_us === null ? '—' : formatLatency(total_us))

const minutesOf = ({ from_at, to_at }: Pick<Overview, 'from_at' | 'to_at'>) =>
  Math.round((Date.parse(to_at) - Date.parse(from_at)) / 60_000)

const isAnyJudged = ({ totals }: Pick<Overview, 'totals'>) => (totals.by_state.judged ?? 0) > 0

/** "3 of 14 datastores lose time; worst: ds-sql-01, kernel queue, 27 I/Os wait": the name gives way, the rest stays whole. */
function Headline({ overview, of }: Pick<BoardProps, 'overview' | 'of'>) {
  const { environment, totals } = overview
  const worst = worstOf(overview)
  if (worst === null)
    return (
      <p className={`${styles.headline} flex narrow bold`}>
        {isAnyJudged(overview) ? troubledWords(totals, of) : environment.sentence.text}
      </p>
    )
  const standing = losingWords(totals, of)
  const [comma, loses] = worst.loses === '' ? ['', ''] : [',', ` ${worst.loses}`]
  return (
    <p
      className={`${styles.headline} flex narrow bold`}
      title={`${standing}${worst.lead}${worst.name}${comma}${loses}`}
    >
      <span className={`${styles.standing} fixed`}>
        {standing}
        {worst.lead}
      </span>
      <span className={`${styles.worstName} inline narrow`}>
        <Name>{worst.name}</Name>
        {comma}
      </span>
      <span className={`${styles.loses} ends fixed`}>{loses}</span>
    </p>
  )
}

/** One thing on a wall: its verdict, where an I/O's time goes, and who takes part in the layer that matters. */

import { useQuery } from '@tanstack/react-query'
import { SINGULAR } from '../../api/queries'
import type { Contributor, Layer, Verdict } from '../../api/types'
import { contributorsQuery, type JudgedKind, verdictQuery } from '../../api/verdicts'
import { layerWord } from '../../charts/segments'
import { shareText } from '../../charts/waterfall'
import { alertsOf, alertsOnArray } from '../../components/alerts/standing'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { LayerBar, LayerSwatch } from '../../components/verdict/LayerBar'
import { layersWords, layerTime, worthTelling } from '../../components/verdict/layerWords'
import { ios } from '../../components/verdict/OccupancyCard'
import { subjectOf } from '../../components/verdict/subject'
import { usePreferences } from '../../lib/preferences'
import { formatIops, formatLatency } from '../../lib/units'
import type { AgeState } from './age'
import styles from './Wall.module.css'
import { Waiting, WallFrame } from './WallFrame'
import { causeMark, judgedWords, oldWords } from './wallWords'

interface ObjectBoardProps {
  of: JudgedKind
  id: number
  rows: number
  turn?: string | undefined
}

export function ObjectBoard({ of, id, rows, turn }: ObjectBoardProps) {
  const query = useQuery(verdictQuery(of, id, null))
  const verdict = query.data
  return (
    <WallFrame
      title={verdict?.subject.name ?? `${SINGULAR[of]} ${id}`}
      turn={turn}
      query={query}
      until_at={verdict?.ledger_until_at ?? null}
      alerts={(alerts) => (of === 'arrays' ? alertsOnArray(alerts, id) : alertsOf(alerts, subjectOf(of, id)))}
    >
      {(age, age_ms) =>
        verdict === undefined ? (
          <Waiting of={`${SINGULAR[of]} ${id}`} error={query.error} />
        ) : (
          <>
            <VerdictStrip verdict={verdict} age={age} age_ms={age_ms} />
            <TakingPart of={of} id={id} verdict={verdict} rows={rows} age={age} age_ms={age_ms} />
          </>
        )
      }
    </WallFrame>
  )
}

/** The layer that the verdict names, else the one that takes longest. */
function mainLayer({ layer, layers }: Verdict): Layer {
  const longest = [...layers].sort((a, b) => b.us - a.us)[0]
  return layers.find(({ name }) => name === layer)?.layers[0] ?? longest?.layers[0] ?? 'array'
}

interface VerdictStripProps {
  verdict: Verdict
  age: AgeState
  age_ms: number | null
}

function VerdictStrip({ verdict, age, age_ms }: VerdictStripProps) {
  const { zone } = usePreferences()
  const { sentence, layers, total_us } = verdict
  const until = <span className={styles.until}>{judgedWords(verdict.ledger_until_at, age_ms, zone)}</span>
  if (age === 'blank')
    return (
      <section className={styles.estate} data-age={age} aria-label="Verdict">
        — {until}
      </section>
    )
  return (
    <section className={styles.estate} data-age={age} aria-label="Verdict">
      <div className={styles.summary}>
        <span className={styles.wholeHeadline}>{sentence.head}</span>
        <span className={styles.troubled}>
          <span className={styles.mark}>
            <StateMark {...causeMark(verdict)} />
          </span>
          <span className={styles.because}>{sentence.because[0]}</span>
        </span>
      </div>
      <div className={styles.inside}>
        <LayerBar
          tall
          pieces={layers.map((layer) => ({ ...layer, size: layer.us }))}
          max={Math.max(total_us ?? 0, 1e-9)}
          words={layersWords(layers) || sentence.head}
        />
        <ul className={styles.layers}>
          {worthTelling(layers, ({ us }) => us).map((layer) => (
            <li key={layer.name}>
              <LayerSwatch layers={layer.layers} /> {layer.label} {layerTime(layer)}
            </li>
          ))}
          <li>{until}</li>
        </ul>
      </div>
    </section>
  )
}

interface TakingPartProps {
  of: JudgedKind
  id: number
  verdict: Verdict
  rows: number
  age: AgeState
  age_ms: number | null
}

/** Most of what is abnormal. */
const MOST = 0.5

function TakingPart({ of, id, verdict, rows, age, age_ms }: TakingPartProps) {
  const layer = mainLayer(verdict)
  const query = useQuery(contributorsQuery(of, id, layer, null))
  if (query.data === undefined) return <Waiting of="who takes part" error={query.error} />
  const { vms, hosts } = query.data
  const listed = (of === 'vms' || vms.length === 0 ? hosts : vms).slice(0, rows)
  if (listed.length === 0) return <p className={styles.quiet}>Nobody is known to take part in this minute.</p>
  return (
    <ol className={styles.worst} aria-label="Who takes part">
      {listed.map((one) => (
        <PartRow
          key={`${one.subject.kind}-${one.subject.id}`}
          one={one}
          layer={layer}
          age={age}
          age_ms={age_ms}
          isCalm={verdict.layer === null || (one.time_share ?? 0) < MOST}
        />
      ))}
    </ol>
  )
}

interface PartRowProps {
  one: Contributor
  layer: Layer
  age: AgeState
  age_ms: number | null
  isCalm: boolean
}

function PartRow({ one, layer, age, age_ms, isCalm }: PartRowProps) {
  const isBlank = age === 'blank'
  return (
    <li className={styles.row} data-age={age} data-calm={isCalm || isBlank}>
      <span className={styles.share}>
        {isBlank ? '—' : shareText(one.time_share)} <span className={styles.zone}>{layerWord(layer)}</span>
      </span>
      <span className={styles.who}>
        <span className={styles.name}>
          <Name>{one.subject.name}</Name>
        </span>
        <span className={styles.sentence}>
          {isBlank ? '—' : `${formatIops(one.iops)}, ${ios(one.ios)} I/Os inside`}
        </span>
      </span>
      <span className={styles.bar}>
        {!isBlank && (
          <LayerBar
            tall
            pieces={[{ name: 'share', label: '', layers: [layer], size: one.time_share ?? 0 }]}
            max={1}
            words={shareText(one.time_share) || 'share not known'}
          />
        )}
      </span>
      <span className={styles.latency}>
        <span>{isBlank || one.us === null ? '—' : `${one.is_merged ? '≤ ' : ''}${formatLatency(one.us)}`}</span>
        <span className={styles.age}>{oldWords(age_ms)}</span>
      </span>
    </li>
  )
}

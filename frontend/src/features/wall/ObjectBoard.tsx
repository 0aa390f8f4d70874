/** One thing on a wall: its diagnosis, where an I/O's time goes, and who takes part in the layer that matters. */

import { useQuery } from '@tanstack/react-query'
import { contributorsQuery, diagnosisQuery } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import type { Contributor, Diagnosis, Layer } from '../../api/types'
import { layerWord } from '../../charts/segments'
import { shareText } from '../../charts/waterfall'
import * as contributorsCopy from '../../copy/contributors'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as wallsCopy from '../../copy/walls'
import { alertsOf, alertsOnArray } from '../../domain/alerts/standing'
import { ios } from '../../domain/breakdown/ios'
import { layersWords, layerTime, worthTelling } from '../../domain/breakdown/layerWords'
import { LayerBar, LayerSwatch } from '../../domain/io-path/LayerBar'
import { KIND, subjectOf } from '../../domain/kinds'
import { ConfidenceLabel } from '../../domain/severity/ConfidenceLabel'
import { SeverityMark } from '../../domain/severity/SeverityMark'
import { Name } from '../../kit/text/Name'
import { formatIops, formatLatency } from '../../lib/units'
import type { AgeState } from './age'
import styles from './Wall.module.css'
import { Waiting, WallFrame } from './WallFrame'
import { oldWords } from './wallWords'

interface ObjectBoardProps {
  of: EntityKind
  id: number
  rows: number
  turn?: string | undefined
}

export function ObjectBoard({ of, id, rows, turn }: ObjectBoardProps) {
  const query = useQuery(diagnosisQuery(of, id, null))
  const diagnosis = query.data
  return (
    <WallFrame
      title={diagnosis?.subject.name ?? `${KIND[of].noun} ${id}`}
      turn={turn}
      query={query}
      until_at={diagnosis?.ledger_until_at ?? null}
      alerts={(alerts) => (of === 'arrays' ? alertsOnArray(alerts, id) : alertsOf(alerts, subjectOf(of, id)))}
    >
      {(age, age_ms) =>
        diagnosis === undefined ? (
          <Waiting of={`${KIND[of].noun} ${id}`} error={query.error} />
        ) : (
          <>
            <DiagnosisStrip diagnosis={diagnosis} age={age} />
            <TakingPart of={of} id={id} diagnosis={diagnosis} rows={rows} age={age} age_ms={age_ms} />
          </>
        )
      }
    </WallFrame>
  )
}

/** The layer that the diagnosis names, else the one that takes longest. */
function mainLayer({ layer, layers }: Diagnosis): Layer {
  const longest = [...layers].sort((a, b) => b.us - a.us)[0]
  return layers.find(({ name }) => name === layer)?.layers[0] ?? longest?.layers[0] ?? 'array'
}

function DiagnosisStrip({ diagnosis, age }: { diagnosis: Diagnosis; age: AgeState }) {
  const { sentence, cause, layers, total_us } = diagnosis
  if (age === 'blank')
    return (
      <section className={`${styles.environment} grid middle`} data-age={age} aria-label={diagnosisCopy.title}>
        —
      </section>
    )
  return (
    <section className={`${styles.environment} grid middle`} data-age={age} aria-label={diagnosisCopy.title}>
      <div className={`${styles.summary} grid narrow`}>
        <span className={`${styles.wholeHeadline} clamp bold`}>{sentence.head.text}</span>
        <span className={`${styles.troubled} flex quiet`}>
          <span className={styles.mark}>
            <SeverityMark diagnosis={diagnosis} /> <ConfidenceLabel diagnosis={diagnosis} />
          </span>
          <span className={`${styles.because} clamp`}>{cause?.headline ?? sentence.reasons[0]?.text}</span>
        </span>
      </div>
      <div className={styles.inside}>
        <LayerBar
          tall
          pieces={layers.map((layer) => ({ ...layer, size: layer.us }))}
          max={Math.max(total_us ?? 0, 1e-9)}
          words={layersWords(layers) || sentence.head.text}
        />
        <ul className={`${styles.layers} flex wrap small`}>
          {worthTelling(layers, ({ us }) => us).map((layer) => (
            <li key={layer.name}>
              <LayerSwatch layers={layer.layers} /> {layer.label} {layerTime(layer)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

interface TakingPartProps {
  of: EntityKind
  id: number
  diagnosis: Diagnosis
  rows: number
  age: AgeState
  age_ms: number | null
}

/** Most of what is abnormal. */
const MOST = 0.5

function TakingPart({ of, id, diagnosis, rows, age, age_ms }: TakingPartProps) {
  const layer = mainLayer(diagnosis)
  const query = useQuery(contributorsQuery(of, id, layer, null))
  if (query.data === undefined) return <Waiting of={wallsCopy.contributorsNoun} error={query.error} />
  const { vms, hosts } = query.data
  const listed = (of === 'vms' || vms.length === 0 ? hosts : vms).slice(0, rows)
  if (listed.length === 0) return <p className={`${styles.quiet} grid grow muted`}>{wallsCopy.noContributors}</p>
  return (
    <ol className={`${styles.worst} list grid grow`} aria-label={contributorsCopy.title}>
      {listed.map((one) => (
        <PartRow
          key={`${one.subject.kind}-${one.subject.id}`}
          one={one}
          layer={layer}
          age={age}
          age_ms={age_ms}
          isCalm={diagnosis.layer === null || (one.time_share ?? 0) < MOST}
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
    <li className={`${styles.row} grid middle`} data-age={age} data-calm={isCalm || isBlank}>
      <span className="tabular bold">
        {isBlank ? '—' : shareText(one.time_share)} <span className="small regular">{layerWord(layer)}</span>
      </span>
      <span className="grid narrow">
        <span className={`${styles.name} flex narrow bold`}>
          <Name>{one.subject.name}</Name>
        </span>
        <span className={`${styles.sentence} cut quiet`}>
          {isBlank ? '—' : wallsCopy.contributorLine(formatIops(one.iops), ios(one.ios))}
        </span>
      </span>
      <span className={styles.bar}>
        {!isBlank && (
          <LayerBar
            tall
            pieces={[{ name: 'share', label: '', layers: [layer], size: one.time_share ?? 0 }]}
            max={1}
            words={shareText(one.time_share) || contributorsCopy.shareUnknown}
          />
        )}
      </span>
      <span className={`${styles.latency} grid numeric bold`}>
        <span>{isBlank || one.us === null ? '—' : `${one.is_merged ? '≤ ' : ''}${formatLatency(one.us)}`}</span>
        <span className={`${styles.age} small numeric`}>{oldWords(age_ms)}</span>
      </span>
    </li>
  )
}

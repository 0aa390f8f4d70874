import type { AlertOut, OverviewRow } from '../../api/types'
import { AlertBadge } from '../../domain/alerts/AlertBadge'
import { layersWords } from '../../domain/breakdown/layerWords'
import { piecesOf } from '../../domain/diagnosis/pieces'
import { waitWords } from '../../domain/diagnosis/troubled'
import { LayerBar } from '../../domain/io-path/LayerBar'
import { NamedLayer } from '../../domain/io-path/NamedLayer'
import { Sparkline } from '../../domain/lists/Sparkline'
import { ownerWords } from '../../domain/object/owner'
import { ConfidenceLabel } from '../../domain/severity/ConfidenceLabel'
import { SeverityMark } from '../../domain/severity/SeverityMark'
import { isElevated } from '../../domain/severity/severity'
import { Name } from '../../kit/text/Name'
import { formatLatency } from '../../lib/units'
import type { AgeState } from './age'
import styles from './Wall.module.css'
import { oldWords } from './wallWords'

interface WorstRowProps {
  row: OverviewRow
  age: AgeState
  age_ms: number | null
  /** What fills the width of a bar, the same in all rows. */
  max_us: number
  /** Open alerts of it, worst first. */
  alerts: readonly AlertOut[]
}

/** The cause, where there is one: the layer and the latency stand beside it. Where no layer is named, the mark says what it is. */
function saidOf({ state, layer, sentence, cause }: OverviewRow, isCalm: boolean): string {
  if (!isCalm && cause !== null) return cause.headline
  return state === 'judged' && layer === null ? sentence.detail : sentence.text
}

/** One thing, in two lines that are read from afar; its layer in a word beside the colors. What is worst is so by the I/Os that wait. */
export function WorstRow({ row, age, age_ms, max_us, alerts }: WorstRowProps) {
  const isBlank = age === 'blank'
  const isCalm = !isElevated(row)
  return (
    <li
      className={`${styles.row} grid middle`}
      data-age={age}
      data-calm={isCalm || isBlank}
      data-severity={row.severity}
    >
      <span className={styles.mark}>
        {isBlank ? '—' : <SeverityMark diagnosis={row} />}
        {!isBlank && (
          <span className={`${styles.labels} inline-row if-any`}>
            <ConfidenceLabel diagnosis={row} />
            <AlertBadge alerts={alerts} linked={false} />
          </span>
        )}
      </span>
      <span className="grid narrow">
        <span className={`${styles.name} flex narrow bold`}>
          <Name>{row.subject.name}</Name>
          {row.owner !== null && !isBlank && (
            <span className={`${styles.owner} cut quiet regular`}>{ownerWords(row.owner)}</span>
          )}
          {!isCalm && !isBlank && (
            <span className={`${styles.waits} fixed push size-label numeric regular`}>{waitWords(row)}</span>
          )}
        </span>
        <span className={`${styles.sentence} cut quiet`}>{isBlank ? '—' : saidOf(row, isCalm)}</span>
      </span>
      <span className={styles.trend}>{!isBlank && <Sparkline trend={row.trend} />}</span>
      <span className={styles.bar}>
        {!isBlank && row.total_us !== null && (
          <LayerBar tall pieces={piecesOf(row)} max={max_us} words={layersWords(row.layers)} />
        )}
        {!isBlank && <NamedLayer row={row} className={`${styles.layer} row size-label nowrap`} />}
      </span>
      <span className={`${styles.latency} grid numeric bold`}>
        <span>{isBlank || row.total_us === null ? '—' : formatLatency(row.total_us)}</span>
        <span className={`${styles.age} small numeric`}>{oldWords(age_ms)}</span>
      </span>
    </li>
  )
}

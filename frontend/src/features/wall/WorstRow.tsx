import type { AlertOut, OverviewRow } from '../../api/types'
import { AlertBadge } from '../../components/alerts/AlertBadge'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { LayerBar } from '../../components/verdict/LayerBar'
import { layersWords } from '../../components/verdict/layerWords'
import { NamedLayer } from '../../components/verdict/NamedLayer'
import { piecesOf } from '../../components/verdict/pieces'
import { waitWords } from '../../components/verdict/troubled'
import { formatLatency } from '../../lib/units'
import type { AgeState } from './age'
import styles from './Wall.module.css'
import { causeMark, oldWords } from './wallWords'

interface WorstRowProps {
  row: OverviewRow
  age: AgeState
  age_ms: number | null
  /** What fills the width of a bar, the same in all rows. */
  max_us: number
  /** Open alerts of it, worst first. */
  alerts: readonly AlertOut[]
}

/** The mark beside it says that it is healthy. */
const untitled = (sentence: string) => sentence.replace(/^Healthy: /, '')

/** One thing, in two lines that are read from afar; its layer in a word beside the colours. What is worst is so by the I/Os that wait. */
export function WorstRow({ row, age, age_ms, max_us, alerts }: WorstRowProps) {
  const isBlank = age === 'blank'
  const isCalm = row.state !== 'judged' || row.certainty === 'healthy' || row.until_at !== null
  return (
    <li className={styles.row} data-age={age} data-calm={isCalm || isBlank} data-certainty={row.certainty}>
      <span className={styles.mark}>
        {isBlank ? '—' : <StateMark {...causeMark(row)} />}
        {!isBlank && <AlertBadge alerts={alerts} linked={false} />}
      </span>
      <span className={styles.who}>
        <span className={styles.name}>
          <Name>{row.subject.name}</Name>
          {!isCalm && !isBlank && <span className={styles.waits}>{waitWords(row)}</span>}
        </span>
        <span className={styles.sentence}>{isBlank ? '—' : untitled(row.sentence)}</span>
      </span>
      <span className={styles.bar}>
        {!isBlank && row.total_us !== null && (
          <LayerBar tall pieces={piecesOf(row)} max={max_us} words={layersWords(row.layers)} />
        )}
        {!isBlank && <NamedLayer row={row} className={styles.layer} />}
      </span>
      <span className={styles.latency}>
        <span>{isBlank || row.total_us === null ? '—' : formatLatency(row.total_us)}</span>
        <span className={styles.age}>{oldWords(age_ms)}</span>
      </span>
    </li>
  )
}

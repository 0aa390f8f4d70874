/** The estate as one: its verdict, its I/Os by layer, how many things are how sure. */

import type { Overview } from '../../api/types'
import type { JudgedKind } from '../../api/verdicts'
import { Card } from '../../components/Card'
import { StateMark } from '../../components/StateMark'
import { standingMark, stateWord } from '../../components/verdict/certainty'
import { LayerBar, LayerSwatch } from '../../components/verdict/LayerBar'
import { ios } from '../../components/verdict/OccupancyCard'
import { meanWords, troubledOf, troubledWords } from '../../components/verdict/troubled'
import { AtOnce } from '../../lib/search'
import { formatBytesPerSecond, formatCount, formatIops } from '../../lib/units'
import styles from './Overview.module.css'
import { CERTAINTIES, KINDS } from './ranking'
import { useRanking } from './useRanking'

interface EstateCardProps {
  overview: Overview
  kind: JudgedKind
}

export function EstateCard({ overview, kind }: EstateCardProps) {
  const { estate, totals } = overview
  const inside = estate.occupancy.reduce((sum, layer) => sum + layer.ios, 0)
  return (
    <Card title="The estate" hint={estate.iops === null ? undefined : rates(estate.iops, estate.bytes_per_s)}>
      <div className={styles.estate}>
        <div>
          <Headline overview={overview} kind={kind} />
          {estate.impact !== null && (
            <p
              className="muted"
              title="of its datastores added up: what one saves makes up for nothing that another loses"
            >
              {ios(estate.impact)} I/Os wait needlessly at any moment
            </p>
          )}
        </div>
        <div>
          <p className={styles.lead}>{insideWords(estate, inside)}</p>
          <LayerBar
            tall
            pieces={estate.occupancy.map((layer) => ({ ...layer, size: layer.ios }))}
            max={Math.max(inside, 1e-9)}
            words={estate.occupancy.map((layer) => `${ios(layer.ios)} ${layer.label}`).join(', ') || 'no I/O'}
          />
          <ul className={styles.layers}>
            {estate.occupancy.map((layer) => (
              <li key={layer.name} title={`between ${ios(layer.lower_ios)} and ${ios(layer.upper_ios)}`}>
                <LayerSwatch layers={layer.layers} />
                {layer.label} <strong className="numeric">{ios(layer.ios)}</strong>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <AtOnce>
        <Counts totals={totals} kind={kind} />
      </AtOnce>
    </Card>
  )
}

/** The mean over all I/Os can be as usual while somebody loses time: who does comes first. */
function Headline({ overview: { estate, totals }, kind }: Pick<EstateCardProps, 'overview' | 'kind'>) {
  const troubled = troubledOf(totals)
  const mark = estate.certainty === 'healthy' && troubled > 0 ? null : <StateMark {...standingMark(estate)} />
  if (troubled === 0)
    return (
      <>
        {mark}
        <p className={styles.sentence}>{estate.sentence}</p>
      </>
    )
  return (
    <>
      <p className={styles.sentence}>{troubledWords(totals, kind)}</p>
      <p>
        {meanWords(estate)} {mark}
      </p>
    </>
  )
}

function insideWords({ state }: Overview['estate'], inside: number): string {
  if (inside > 0) return `Where the ${ios(inside)} I/Os are`
  return state === 'idle' ? 'No I/O is on its way' : 'Not measured in this window'
}

const rates = (iops: number, bytes_per_s: number | null) =>
  bytes_per_s === null ? formatIops(iops) : `${formatIops(iops)}, ${formatBytesPerSecond(bytes_per_s)}`

interface CountsProps extends Omit<EstateCardProps, 'overview'> {
  totals: Overview['totals']
}

/** How many are how sure; choosing one filters the ranking below. */
function Counts({ totals, kind }: CountsProps) {
  const { certainty: chosen, setCertainty } = useRanking()
  const words = KINDS.find(([one]) => one === kind)?.[1] ?? kind
  return (
    <fieldset className={styles.counts} aria-label={`${words} by certainty`}>
      {CERTAINTIES.map((certainty) => {
        const { tone, word } = standingMark({ state: 'judged', certainty })
        const isChosen = certainty === chosen
        return (
          <button
            key={certainty}
            type="button"
            className={styles.count}
            aria-pressed={isChosen}
            onClick={() => setCertainty(isChosen ? '' : certainty)}
          >
            <span className={styles.number}>{formatCount(totals.by_certainty[certainty] ?? 0)}</span>
            <StateMark tone={tone} word={word} />
          </button>
        )
      })}
      {totals.ended > 0 && <span className={styles.other}>{formatCount(totals.ended)} of them ended a moment ago</span>}
      {(['too_few', 'idle', 'not_measured', 'no_data'] as const).map(
        (state) =>
          (totals.by_state[state] ?? 0) > 0 && (
            <span key={state} className={styles.other}>
              {formatCount(totals.by_state[state] ?? 0)} {stateWord(state).toLowerCase()}
            </span>
          ),
      )}
    </fieldset>
  )
}

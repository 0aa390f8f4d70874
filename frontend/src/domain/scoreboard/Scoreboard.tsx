/** The four layers side by side: latency with range, baseline, difference, and whether it is the cause or proven not to be. */

import type { Diagnosis, LayerScore } from '../../api/types'
import { layerWord } from '../../charts/segments'
import * as commonCopy from '../../copy/common'
import * as scoreboardCopy from '../../copy/scoreboard'
import { StateMark, type Tone } from '../../kit/mark/StateMark'
import { formatBareLatency, formatLatencyIn, type LatencyScale } from '../../lib/units'
import { LayerSwatch } from '../io-path/LayerBar'
import { kindOfSubject } from '../kinds'
import { isElevated, SEVERITIES } from '../severity/severity'
import styles from './Scoreboard.module.css'
import { deltaText, type ScoreTile, scoreScale, scoreTiles, stateLook } from './scores'

type Scored = Pick<Diagnosis, 'scoreboard' | 'severity' | 'until_at' | 'subject'>

export function Scoreboard({ diagnosis }: { diagnosis: Scored }) {
  const { scoreboard, severity, subject } = diagnosis
  const alarm = severity !== null && isElevated(diagnosis) ? SEVERITIES[severity].tone : 'calm'
  const scale = scoreScale(scoreboard)
  const noun = kindOfSubject(subject.kind)?.noun ?? ''
  return (
    <section aria-label={scoreboardCopy.title}>
      <ul className={`${styles.tiles} grid gap-12`}>
        {scoreTiles(scoreboard).map((tile) => (
          <Tile key={tile.score.layer} {...{ tile, scale, alarm, noun }} />
        ))}
      </ul>
    </section>
  )
}

interface TileProps {
  tile: ScoreTile
  scale: LatencyScale
  alarm: Tone
  /** What the diagnosis is of: "array". */
  noun: string
}

function Tile({ tile: { score, layers, label, apart }, scale, alarm, noun }: TileProps) {
  const look = stateLook(score.state, alarm)
  return (
    <li
      className={`${styles.tile} surface stack narrow gap-2`}
      style={{ '--gv-layers': layers.length } as React.CSSProperties}
      data-state={score.state}
    >
      <span className={`${styles.head} row gap-8`}>
        <LayerSwatch layers={layers} />
        <span className={`${styles.label} semibold`}>{label}</span>
        <span className={`${styles.state} push size-label`} title={look.meaning}>
          <StateMark tone={look.tone} word={look.word} />
        </span>
      </span>
      {score.us !== null && (
        <span className="flex wrap baseline tabular gap-words">
          <strong className={styles.value}>{formatLatencyIn(score.us, scale)}</strong>
          <Delta score={score} scale={scale} alarm={alarm} />
        </span>
      )}
      <Notes {...{ score, apart, scale, noun }} />
    </li>
  )
}

const ALARMING = new Set<LayerScore['state']>(['cause', 'possible', 'elevated'])

function Delta({ score, scale, alarm }: { score: LayerScore; scale: LatencyScale; alarm: Tone }) {
  if (score.delta_us === null) return null
  const { delta_lower_us: lower, delta_upper_us: upper } = score
  const range =
    lower === null || upper === null
      ? undefined
      : scoreboardCopy.deltaRange(deltaText(lower, scale), deltaText(upper, scale))
  return (
    <span
      className={`${styles.delta} muted semibold`}
      data-tone={ALARMING.has(score.state) ? alarm : undefined}
      title={range}
    >
      {deltaText(score.delta_us, scale)}
    </span>
  )
}

interface NotesProps {
  score: LayerScore
  apart: ScoreTile['apart']
  scale: LatencyScale
  noun: string
}

/** "range 0.47–0.59 ms · baseline 0.02 ms". */
function Notes({ score, apart, scale, noun }: NotesProps) {
  const { us, lower_us, upper_us, baseline_us, is_own } = score
  const notes = [
    us === null || lower_us === null || upper_us === null || lower_us === upper_us
      ? null
      : commonCopy.inRange(commonCopy.range(formatBareLatency(lower_us, scale), formatLatencyIn(upper_us, scale))),
    us === null || baseline_us === null ? null : scoreboardCopy.baseline(formatLatencyIn(baseline_us, scale)),
    apart.length === 0 ? null : scoreboardCopy.notSeparableFrom(apart.map(layerWord).join(scoreboardCopy.plus)),
  ].filter((note) => note !== null)
  const isOutside = !is_own && us !== null
  if (notes.length === 0 && !isOutside) return null
  return (
    <span className={`${styles.notes} flex wrap quiet tabular gap-words`}>
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
      {isOutside && <span title={scoreboardCopy.seenOnlyHint(noun)}>{scoreboardCopy.seenOnly(noun)}</span>}
    </span>
  )
}

/** The scores of a diagnosis as tiles: layers that counters cannot separate are one tile, so that no latency is shown twice. */

import type { LayerScore } from '../../api/types'
import type { LayerId } from '../../charts/segments'
import * as scoreboardCopy from '../../copy/scoreboard'
import type { Tone } from '../../lib/marks'
import { formatLatencyIn, type LatencyScale, latencyScale } from '../../lib/units'

export type ScoreState = LayerScore['state']

export interface ScoreTile {
  score: LayerScore
  /** One, or several that are not separable and stand beside each other. */
  layers: LayerId[]
  label: string
  /** Layers of other tiles that hold part of the same latency. */
  apart: LayerId[]
}

const spanOf = ({ layer, merged_with }: LayerScore) => [layer, ...merged_with].sort().join()

const isOneTile = (one: LayerScore, other: LayerScore) =>
  other.merged_with.length > 0 &&
  spanOf(one) === spanOf(other) &&
  one.state === other.state &&
  one.is_own === other.is_own

export function scoreTiles(scores: readonly LayerScore[]): ScoreTile[] {
  const tiles: ScoreTile[] = []
  for (const score of scores) {
    const last = tiles.at(-1)
    if (last !== undefined && isOneTile(last.score, score)) {
      last.layers.push(score.layer)
      last.label += scoreboardCopy.plus + score.label
    } else tiles.push({ score, layers: [score.layer], label: score.label, apart: [] })
  }
  return tiles.map((tile) => ({
    ...tile,
    apart: tile.score.merged_with.filter((layer) => !tile.layers.includes(layer)),
  }))
}

/** One unit and number of decimals for all tiles: they are compared with each other. */
export const scoreScale = (scores: readonly LayerScore[]): LatencyScale =>
  latencyScale(Math.max(0, ...scores.map(({ us }) => us ?? 0)))

/** "+0.51 ms", "−0.04 ms", "±0 ms" where it is less than the decimals show. */
export function deltaText(us: number, scale: LatencyScale): string {
  const step_us = 10 ** -scale.decimals * (scale.unit === 'ms' ? 1000 : 1)
  if (Math.abs(us) < step_us / 2) return `±0 ${scale.unit}`
  return `${us > 0 ? '+' : '−'}${formatLatencyIn(Math.abs(us), scale)}`
}

interface StateLook {
  word: string
  tone: Tone
  meaning: string
}

/** `alarm`: the tone of the diagnosis's severity; calm where it is over. */
export function stateLook(state: ScoreState, alarm: Tone): StateLook {
  switch (state) {
    case 'cause':
      return { word: scoreboardCopy.cause, tone: alarm, meaning: scoreboardCopy.causeMeaning }
    case 'possible':
      return { word: scoreboardCopy.possible, tone: alarm, meaning: scoreboardCopy.possibleMeaning }
    case 'elevated':
      return { word: scoreboardCopy.elevated, tone: alarm, meaning: scoreboardCopy.elevatedMeaning }
    case 'not_the_cause':
      return { word: scoreboardCopy.notTheCause, tone: 'good', meaning: scoreboardCopy.notTheCauseMeaning }
    case 'not_measured':
      return { word: scoreboardCopy.notMeasured, tone: 'calm', meaning: scoreboardCopy.notMeasuredMeaning }
    case 'normal':
      return { word: scoreboardCopy.normal, tone: 'good', meaning: scoreboardCopy.normalMeaning }
  }
}

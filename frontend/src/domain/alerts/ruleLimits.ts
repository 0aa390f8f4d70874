/** What a rule fires at, as lines over the charts of what it watches. Pure. */

import type { RuleBody } from '../../api/types'
import type { ChartLimit } from '../../charts/limits'
import { LAYER_IDS } from '../../charts/segments'
import * as alertsCopy from '../../copy/alerts'
import { conditionWords } from './words'

type Condition = RuleBody['when'][number]

/** Only times have a line: a share or a multiple of what is expected is another time in every minute. */
export const ruleLimits = (when: readonly Condition[]): ChartLimit[] => when.flatMap(lineOf)

function lineOf(condition: Condition): ChartLimit[] {
  const { quantity, part = null, direction, at_least: value } = condition
  if (quantity !== 'latency') return []
  const about = { value, label: alertsCopy.limitLine(conditionWords(condition, 'µs')) }
  // Stacks are of one direction, bounds of both together.
  if (part === null) return direction === 'all' ? [] : [{ ...about, panel: direction }]
  const layer = LAYER_IDS.find((one) => one === part)
  return layer === undefined || direction !== 'all' ? [] : [{ ...about, panel: 'bounds', layer }]
}

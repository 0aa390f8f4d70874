/** How many things lose time, of all of their kind. */

import type { Overview } from '../../api/types'
import type { JudgedKind } from '../../api/verdicts'
import { plural } from '../../lib/text'

type Totals = Pick<Overview['totals'], 'by_certainty' | 'by_state'>

export const NOUNS: Record<JudgedKind, string> = {
  datastores: 'datastore',
  vms: 'VM',
  hosts: 'host',
  volumes: 'volume',
  arrays: 'array',
}

/** Those that are over their usual, whether or not the layer is known. */
export const troubledOf = ({ by_certainty }: Totals): number =>
  (['certain', 'likely', 'undetermined'] as const).reduce((sum, one) => sum + (by_certainty[one] ?? 0), 0)

/** The verdict on all I/Os together, beside those that lose time: "healthy" is no word for both. */
export const meanWords = ({ sentence }: Pick<Overview['estate'], 'sentence'>): string =>
  `Over all I/Os: ${sentence.replace(/^Healthy: /, '')}`

/** "3 of 14 datastores lose time", "No datastore loses time". */
export function troubledWords(totals: Totals, kind: JudgedKind): string {
  const troubled = troubledOf(totals)
  const all = Object.values(totals.by_state).reduce((sum, count) => sum + count, 0)
  if (troubled === 0) return `No ${NOUNS[kind]} loses time`
  return `${troubled.toLocaleString('en-US')} of ${plural(all, NOUNS[kind])} ${troubled === 1 ? 'loses' : 'lose'} time`
}

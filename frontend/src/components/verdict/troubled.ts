/** How many things lose time, of all of their kind, and which of them loses most. */

import type { Overview, OverviewRow } from '../../api/types'
import type { JudgedKind } from '../../api/verdicts'
import { plural } from '../../lib/text'
import { formatLatency } from '../../lib/units'
import { midSentence, namedBy } from './namedWords'
import { ios } from './OccupancyCard'

type Mean = Pick<Overview['estate'], 'sentence' | 'certainty' | 'total_us'>
type Totals = Pick<Overview['totals'], 'by_certainty' | 'by_state' | 'ended'>

export const NOUNS: Record<JudgedKind, string> = {
  datastores: 'datastore',
  vms: 'VM',
  hosts: 'host',
  volumes: 'volume',
  arrays: 'array',
}

const OVER = ['certain', 'likely', 'undetermined'] as const

/** Those that are over their usual, whether or not the layer is known, and whose newest minutes still are. */
export const troubledOf = ({ by_certainty, ended }: Totals): number =>
  OVER.reduce((sum, one) => sum + (by_certainty[one] ?? 0), 0) - ended

/** All I/Os together, beside those that lose time. Where the mean is as expected no layer is named: what some lose in one, others save. */
export const meanWords = ({ sentence, certainty, total_us }: Mean): string =>
  `Over all I/Os: ${certainty === 'healthy' && total_us !== null ? `${formatLatency(total_us)} per I/O` : sentence}`

/** "3 of 14 datastores lose time", "No datastore loses time, 1 did a moment ago", "None of 14 datastores could be judged". */
export function troubledWords(totals: Totals, kind: JudgedKind): string {
  const troubled = troubledOf(totals)
  const all = Object.values(totals.by_state).reduce((sum, count) => sum + count, 0)
  const things = plural(all, NOUNS[kind])
  // Silence is no health.
  if ((totals.by_state.judged ?? 0) === 0)
    return all === 0 ? `No ${NOUNS[kind]} is known` : `None of ${things} could be judged`
  const ended =
    totals.ended === 0 ? '' : `, ${totals.ended.toLocaleString('en-US')}${troubled > 0 ? ' more' : ''} did a moment ago`
  if (troubled === 0) return `No ${NOUNS[kind]} loses time${ended}`
  return `${troubled.toLocaleString('en-US')} of ${things} ${troubled === 1 ? 'loses' : 'lose'} time${ended}`
}

/** "27 I/Os wait": what things are ranked by; empty where it is not known. */
export const waitWords = ({ impact }: Pick<OverviewRow, 'impact'>): string =>
  impact === null ? '' : `${ios(impact)} I/Os wait`

export interface WorstWords {
  /** "; worst: ", or ": " where it is the only one: what stands between the count and the name. */
  lead: string
  name: string
  /** "kernel queue on esx-14, 27 I/Os wait": by these it is the worst, though each of another's I/Os may lose more. */
  loses: string
}

/** Which of those that lose time loses most; `items` come worst first. Null where none of them loses any. */
export function worstOf({ totals, items }: { totals: Totals; items: readonly OverviewRow[] }): WorstWords | null {
  const worst = items.find(
    ({ state, certainty, until_at }) =>
      state === 'judged' && until_at === null && OVER.some((one) => one === certainty),
  )
  if (worst === undefined) return null
  return {
    lead: troubledOf(totals) === 1 ? ': ' : '; worst: ',
    name: worst.subject.name,
    loses: [midSentence(namedBy(worst)), waitWords(worst)].filter((words) => words !== '').join(', '),
  }
}

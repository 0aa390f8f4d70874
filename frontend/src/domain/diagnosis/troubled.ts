/** How many things lose time, of all of their kind, and which of them loses most. */

import type { EntityKind } from '../../api/queries'
import type { Overview, OverviewRow } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import { plural } from '../../lib/text'
import { formatLatency } from '../../lib/units'
import { ios } from '../breakdown/ios'
import { KIND } from '../kinds'
import { isElevated } from '../severity/severity'

type Mean = Pick<Overview['environment'], 'state' | 'sentence' | 'confidence' | 'total_us'>
type Totals = Pick<Overview['totals'], 'by_severity' | 'by_state' | 'ended'>

/** Those with an elevated or high excess, whether or not the layer is known, whose newest minutes still have it. */
export const troubledOf = ({ by_severity }: Pick<Totals, 'by_severity'>): number =>
  (by_severity.elevated ?? 0) + (by_severity.high ?? 0)

/** All I/Os together, beside those above baseline. Where the mean names none, no layer is named: excess of some in one layer is offset by others. */
export const meanWords = ({ state, sentence, confidence, total_us }: Mean): string =>
  state === 'judged' && confidence === null && total_us !== null
    ? diagnosisCopy.meanLatency(formatLatency(total_us))
    : diagnosisCopy.allIo(sentence.text)

/** "3 of 14 datastores lose time", "No datastore loses time, 1 did a moment ago", "None of 14 datastores could be judged". */
export function troubledWords(totals: Totals, kind: EntityKind): string {
  const troubled = troubledOf(totals)
  const all = Object.values(totals.by_state).reduce((sum, count) => sum + count, 0)
  const things = plural(all, KIND[kind].noun)
  // Silence is no health.
  if ((totals.by_state.judged ?? 0) === 0)
    return all === 0 ? diagnosisCopy.noneYet(KIND[kind].noun) : diagnosisCopy.noneDiagnosed(things)
  const ended =
    totals.ended === 0
      ? ''
      : diagnosisCopy.recoveredSuffix(totals.ended.toLocaleString('en-US'), troubled > 0 ? diagnosisCopy.more : '')
  if (troubled === 0) return diagnosisCopy.noneElevated(KIND[kind].noun, ended)
  return diagnosisCopy.someElevated(
    troubled.toLocaleString('en-US'),
    things,
    troubled === 1 ? diagnosisCopy.has : diagnosisCopy.have,
    ended,
  )
}

/** "27 I/Os wait": what things are ranked by; empty where it is not known. */
export const waitWords = ({ excess_outstanding }: Pick<OverviewRow, 'excess_outstanding'>): string =>
  excess_outstanding === null ? '' : diagnosisCopy.excessIos(ios(excess_outstanding))

export interface WorstWords {
  /** "; worst: ", or ": " where it is the only one: what stands between the count and the name. */
  lead: string
  name: string
  /** "Kernel queue on esx-14, 27 I/Os wait": by these it is the worst, though each of another's I/Os may lose more. */
  loses: string
}

/** The worst of those above baseline; `items` come worst first. Null where none is. */
export function worstOf({ totals, items }: { totals: Totals; items: readonly OverviewRow[] }): WorstWords | null {
  const worst = items.find(isElevated)
  if (worst === undefined) return null
  return {
    lead: troubledOf(totals) === 1 ? ': ' : diagnosisCopy.worst,
    name: worst.subject.name,
    loses: [worst.layer === null ? '' : worst.sentence.headline, waitWords(worst)]
      .filter((words) => words !== '')
      .join(', '),
  }
}

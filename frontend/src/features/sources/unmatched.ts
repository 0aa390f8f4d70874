/** What is on one side only, in words: how much of each kind, and what an empty list means. */

import type { Unmatched, UnmatchedRow } from '../../api/types'
import * as objectsCopy from '../../copy/objects'
import * as sourcesCopy from '../../copy/sources'
import { KIND } from '../../domain/kinds'
import { plural } from '../../lib/text'

type Kind = UnmatchedRow['kind']
type Counts = Unmatched['counts']

/** Which of them are shown: what somebody has to look at, what is as it should be, or both. */
export type Which = 'open' | 'expected' | 'all'

const NOUNS: Record<Kind, string> = {
  datastore: KIND.datastores.noun,
  device: sourcesCopy.device,
  virtual_disk: objectsCopy.virtualDisk,
  path: sourcesCopy.path,
  volume: KIND.volumes.noun,
  export: sourcesCopy.exportNoun,
}

export const kindName = (kind: Kind): string => NOUNS[kind]

/** Null: of every kind. */
export const kindOf = (text: string): Kind | null => (Object.hasOwn(NOUNS, text) ? (text as Kind) : null)
export const needsAction = (which: Which): boolean | null => (which === 'all' ? null : which === 'open')

/** How many of `kind` (null: of every kind) there are of `which`. */
export function countOf(counts: Counts, which: Which, kind: Kind | null = null): number {
  return counts
    .filter((each) => kind === null || each.kind === kind)
    .reduce(
      (sum, each) => sum + (which === 'expected' ? 0 : each.needs_action) + (which === 'open' ? 0 : each.expected),
      0,
    )
}

/** "3 to look at, 8 as they should be", "everything is matched". */
export function summary(counts: Counts): string {
  const open = countOf(counts, 'open')
  const expected = countOf(counts, 'expected')
  if (open + expected === 0) return sourcesCopy.allMatched
  const rest = sourcesCopy.expectedCount(expected.toLocaleString('en-US'))
  return sourcesCopy.reviewCount(open.toLocaleString('en-US'), expected === 0 ? '' : `, ${rest}`)
}

/** The choices of the kind filter with how many there are of each. */
export function kindChoices(counts: Counts, which: Which): { value: string; label: string }[] {
  const present = counts.map((each) => ({ kind: each.kind, count: countOf(counts, which, each.kind) }))
  return [
    { value: '', label: sourcesCopy.anyType },
    ...present.map(({ kind, count }) => ({ value: kind, label: plural(count, kindName(kind)) })),
  ]
}

/** Why a list is empty. */
export function emptyText(counts: Counts, which: Which, isFiltered: boolean): { title: string; text: string } {
  if (isFiltered) return { title: sourcesCopy.noMatch, text: sourcesCopy.noMatchText }
  if (countOf(counts, 'all') === 0)
    return {
      title: sourcesCopy.allMatchedTitle,
      text: sourcesCopy.allMatchedText,
    }
  if (which === 'open')
    return {
      title: sourcesCopy.nothingToReview,
      text: sourcesCopy.expectedText(plural(countOf(counts, 'expected'), sourcesCopy.object)),
    }
  return { title: sourcesCopy.none, text: sourcesCopy.allToReview }
}

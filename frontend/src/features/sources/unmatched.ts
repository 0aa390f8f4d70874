/** What is on one side only, in words: how much of each kind, and what an empty list means. */

import type { Unmatched, UnmatchedRow } from '../../api/types'
import { plural } from '../../lib/text'

type Kind = UnmatchedRow['kind']
type Counts = Unmatched['counts']

/** Which of them are shown: what somebody has to look at, what is as it should be, or both. */
export type Which = 'open' | 'expected' | 'all'

const NOUNS: Record<Kind, string> = {
  datastore: 'datastore',
  device: 'device',
  virtual_disk: 'virtual disk',
  volume: 'volume',
  export: 'export',
}

export const kindName = (kind: Kind): string => NOUNS[kind]

/** What the words of the URL mean; anything else is the default. */
export const whichOf = (text: string): Which => (text === 'expected' || text === 'all' ? text : 'open')
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
  if (open + expected === 0) return 'everything is matched'
  const rest = `${expected.toLocaleString('en-US')} as ${expected === 1 ? 'it' : 'they'} should be`
  return `${open.toLocaleString('en-US')} to look at${expected === 0 ? '' : `, ${rest}`}`
}

/** The choices of the kind filter with how many there are of each. */
export function kindChoices(counts: Counts, which: Which): { value: string; label: string }[] {
  const present = counts.map((each) => ({ kind: each.kind, count: countOf(counts, which, each.kind) }))
  return [
    { value: '', label: 'Every kind' },
    ...present.map(({ kind, count }) => ({ value: kind, label: plural(count, kindName(kind)) })),
  ]
}

/** Why a list is empty. */
export function emptyText(counts: Counts, which: Which, isFiltered: boolean): { title: string; text: string } {
  if (isFiltered) return { title: 'Nothing fits', text: 'Shorten or clear the filter, or choose another kind.' }
  if (countOf(counts, 'all') === 0)
    return {
      title: 'Everything is matched',
      text: 'Every datastore, device and virtual disk has its volume, and every connected volume its device.',
    }
  if (which === 'open')
    return {
      title: 'Everything that ought to be matched is',
      text: `${plural(countOf(counts, 'expected'), 'thing')} on one side only as ${
        countOf(counts, 'expected') === 1 ? 'it' : 'they'
      } should be, such as local disks and volumes of hosts without a vCenter.`,
    }
  return { title: 'None', text: 'All that is on one side only has to be looked at.' }
}

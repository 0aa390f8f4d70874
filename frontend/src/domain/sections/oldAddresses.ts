/** Addresses as pages had them before they had tabs and one time range each: links in messages, tickets and bookmarks go on to work. */

import type { FlatSearch } from '../../lib/search'
import type { TabId } from '../parameters'

/** A page once had a second choice of its time: the newest minutes, or the whole range, whose usual length was an hour. */
export function upgradeRange(search: FlatSearch): FlatSearch {
  const { span, ...rest } = search
  if (span === undefined) return search
  const isRanged = [rest.last, rest.from, rest.to].some((one) => one !== undefined)
  return span === 'window' && !isRanged ? { ...rest, last: '1h' } : rest
}

/** What once was further down on the one page of an object is on a tab. */
export function upgradeObjectAddress(search: FlatSearch, hash: string): FlatSearch {
  const { open, ...rest } = upgradeRange(search)
  const tab = rest.tab ?? tabOf({ ...rest, open }, hash)
  return tab === undefined || tab === rest.tab ? rest : { ...rest, tab }
}

function tabOf({ open, part, q, sort }: FlatSearch, hash: string): TabId | undefined {
  if (open !== undefined || part !== undefined || hash === 'evidence') return 'counters'
  return q === undefined && sort === undefined ? undefined : 'path'
}

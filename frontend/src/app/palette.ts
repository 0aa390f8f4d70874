/** What can be done from the search box besides opening an object: pages by their title, and time ranges as they are typed. */

import type { Range } from '../lib/range'
import type { Zone } from '../lib/time'
import { typedRange } from '../lib/typedRange'
import { menuPath, PAGES, type Page } from './pages'

export type Command =
  | { kind: 'page'; id: string; page: Page; address: string }
  | { kind: 'range'; id: string; range: Range }

const MOST_PAGES = 5

/** For a text; without one, none. */
export function commandsFor(text: string, now_ms: number, zone: Zone): Command[] {
  const asked = text.trim().toLowerCase()
  if (asked === '') return []
  const range = typedRange(asked, now_ms, zone)
  if (range !== null) return [{ kind: 'range', id: 'range', range }]
  return PAGES.filter((page) => !page.path.includes('$id') && page.title.toLowerCase().includes(asked))
    .slice(0, MOST_PAGES)
    .map((page) => ({ kind: 'page', id: `page-${page.path}`, page, address: menuPath(page) }))
}

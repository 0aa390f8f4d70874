/** Sorting as the API writes it: "name" ascends, "-name" descends. */

export interface SortState {
  id: string
  desc: boolean
}

export function parseSort(sort: string): SortState | null {
  if (sort === '') return null
  return sort.startsWith('-') ? { id: sort.slice(1), desc: true } : { id: sort, desc: false }
}

/** What a click on a heading asks for: names begin at A, numbers at the largest, a second click turns it around. */
export function sortText(key: string, now: SortState | null): string {
  if (now?.id === key) return now.desc ? key : `-${key}`
  return key === 'name' ? key : `-${key}`
}

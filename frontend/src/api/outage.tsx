/** Gavel or its database is away: one thing to say for the whole page, instead of the same thing by each of its parts. */

import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { isAway, isUnreachable } from '../lib/errors'
import { type Outage, OutageContext } from '../lib/outage'
import { anyFails, type Trouble, troubleOf, useAsked } from './failing'

/** One question that the page asks: its trouble, and when it was answered last (0: never). */
export interface Asked {
  trouble: Trouble | null
  answered_ms: number
}

/** Answered without the database, or only once: they tell nothing of an outage. */
const NO_WITNESSES = new Set(['session', 'source-kinds', 'alert-quantities', 'channel-kinds'])
/** Asked by every page, by its menu. */
const WITNESS = ['alerts', 'now'] as const

/**
 * An outage is what several questions fail of, more than have been answered meanwhile; a Gavel that cannot be reached at all is one
 * with the first of them. A part that fails alone says so itself.
 */
export function outageOf(asked: readonly Asked[]): Outage | null {
  const failing = asked.flatMap(({ trouble }) => (trouble !== null && isAway(trouble.error) ? [trouble] : []))
  const [first] = failing.sort((a, b) => a.since_ms - b.since_ms)
  if (first === undefined) return null
  const answered = asked.filter(({ trouble, answered_ms }) => trouble === null && answered_ms > first.since_ms)
  const isOne = failing.length > 1 || isUnreachable(first.error)
  if (!isOne || answered.length >= failing.length) return null
  const read_ms = Math.max(...asked.map(({ answered_ms }) => answered_ms))
  return { error: (failing.at(-1) ?? first).error, since_ms: first.since_ms, read_ms: read_ms > 0 ? read_ms : null }
}

const isWitness = (query: Query) => query.isActive() && !NO_WITNESSES.has(String(query.queryKey[0]))

const askedOf = (client: QueryClient): Asked[] =>
  client
    .getQueryCache()
    .getAll()
    .filter(isWitness)
    .map((query) => ({ trouble: troubleOf(query), answered_ms: query.state.dataUpdatedAt }))

/** As text, so that what is the same is the same: pages are not drawn again by every question. */
function outageText(client: QueryClient): string {
  const outage = outageOf(askedOf(client))
  return outage === null ? '' : JSON.stringify([outage.since_ms, outage.read_ms, outage.error.message])
}

/** The first answer is not the last: what is still being read when an outage ends has this long before it speaks for itself. */
const LINGER_MS = 5_000

export function OutageProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const text = useAsked(outageText)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what it was made of
  const outage = useMemo(() => outageOf(askedOf(client)), [client, text])
  const fails = useAsked(anyFails)
  const [kept, keep] = useState<Outage | null>(null)
  if (outage !== null && outage !== kept) keep(outage)
  useEffect(() => {
    if (kept === null || outage !== null) return
    void askAgain(client)
    const timer = setTimeout(() => keep(null), LINGER_MS)
    return () => clearTimeout(timer)
  }, [client, kept, outage])
  // One that fails is either alone or the first of many: the next one tells.
  useEffect(() => {
    if (fails) void client.invalidateQueries({ queryKey: WITNESS })
  }, [client, fails])
  return <OutageContext value={outage ?? (fails ? kept : null)}>{children}</OutageContext>
}

/** Asks everything on screen that failed once more. */
export const askAgain = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ predicate: (query) => query.isActive() && troubleOf(query) !== null })

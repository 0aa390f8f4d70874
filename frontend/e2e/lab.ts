/** What really happens in the lab while the product looks at it, and when the product has read and judged it. */

import { type APIRequestContext, expect } from '@playwright/test'
import { gavelNow } from './clock'
import { api, get } from './scenes'

const MINUTE_MS = 60_000
/** A phase's own edges are no minutes of it: closed loops settle, samples straddle. */
const EDGE_MS = MINUTE_MS
const LEAST_MS = 3 * MINUTE_MS
/** The newest minutes may be judged once more, with samples that come late. */
const SETTLING_MS = 5 * MINUTE_MS

export const TRUTH_URL = process.env.GAVEL_E2E_TRUTH_URL

interface Phase {
  story: string
  title: string
  datastore: string
  from: number
  to: number
  layer: string | null
  culprits: string[]
}

/** One phase of a story without its edges, in whole minutes that are judged. `layer`: the guilty one, null where all is well. */
export interface Chapter {
  title: string
  layer: string | null
  culprits: readonly string[]
  datastore: { id: number; name: string }
  window: { from: string; to: string }
}

const iso = (at_ms: number) => new Date(at_ms).toISOString().replace('.000Z', 'Z')

/** No guest of this lab pushes, so that a queue in one is not measured. */
const NOT_MEASURED = 'guest-queue'

/** What plays at some time between two instants, and can be seen. */
export async function playing(request: APIRequestContext, from_ms: number, to_ms: number): Promise<Phase[]> {
  const answer = await get(request, `${TRUTH_URL}/stories?from=${from_ms / 1000}&to=${to_ms / 1000}`)
  if (!answer.ok()) throw new Error(`the lab's truth answered ${answer.status()}: ${await answer.text()}`)
  const { stories } = (await answer.json()) as { stories: Phase[] }
  return stories.filter(({ story }) => story !== NOT_MEASURED)
}

/** From the first to the last minute of the last hour that the product has judged, backfill included, as far as they are without a hole. */
async function judgedSpan(request: APIRequestContext, datastore: number): Promise<{ from_ms: number; to_ms: number }> {
  const answer = await get(request, `/api/v1/datastores/${datastore}/latency?from=-65m&to=now`)
  const { times_ms, minutes_there } = (await answer.json()) as { times_ms: number[]; minutes_there: number[] }
  let last = times_ms.length - 1
  while (last > 0 && !minutes_there[last]) last--
  let first = last
  while (first > 0 && minutes_there[first - 1]) first--
  return { from_ms: times_ms[first] ?? 0, to_ms: (times_ms[last] ?? 0) + MINUTE_MS }
}

/**
 * The newest chapter of each guilty layer, and of none, that lies in judged minutes. At any minute of the hour there are at least three:
 * an hour less its edges hides the kernel's never, and never two of the others.
 */
export async function chapters(request: APIRequestContext): Promise<Chapter[]> {
  const { items } = await api(request, '/datastores?limit=500')
  const ids = new Map(items.map(({ id, name }) => [name, id]))
  let found: Chapter[] = []
  await expect
    .poll(
      async () => {
        found = await chaptersOf(request, ids)
        return found.length
      },
      { message: 'layers with a chapter in judged minutes', timeout: 150_000, intervals: [2000] },
    )
    .toBeGreaterThanOrEqual(3)
  return found
}

async function chaptersOf(request: APIRequestContext, ids: ReadonlyMap<string, number>): Promise<Chapter[]> {
  const now = gavelNow()
  const newest = new Map<string | null, Chapter>()
  for (const phase of await playing(request, now - 65 * MINUTE_MS, now)) {
    const id = ids.get(phase.datastore)
    if (id === undefined) continue
    const span = await judgedSpan(request, id)
    const from_ms = Math.max(phase.from * 1000 + EDGE_MS, span.from_ms)
    const to_ms = Math.min(phase.to * 1000 - EDGE_MS, span.to_ms - SETTLING_MS)
    if (to_ms - from_ms < LEAST_MS) continue
    const { title, layer, culprits, datastore: name } = phase
    const window = { from: iso(from_ms), to: iso(to_ms) }
    newest.set(layer, { title, layer, culprits, datastore: { id, name }, window })
  }
  return [...newest.values()]
}

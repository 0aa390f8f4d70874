/** Pages as large as a customer may have them: the real answers' rows, again and again, the first ones with hostile names. */

import type { Page } from '@playwright/test'
import type { SourceOut } from '../src/api/types'
import { asApart, asFull, fetched, HOSTILE_NAMES } from './scenes'
import { sickened } from './sickScene'

const ARRAYS = 40
const NO_ROWS: readonly Json[] = []

interface Json {
  [key: string]: unknown
}

/** Objects of copies are others: numbers of their own, and names that differ at their end. */
function copyOf<Value>(value: Value, copy: number): Value {
  if (Array.isArray(value)) return value.map((one) => copyOf(one, copy)) as Value
  if (value === null || typeof value !== 'object') return value
  const isOwn = 'label' in value
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => {
      if (key === 'id' && typeof own === 'number') return [key, own + copy * 100_000]
      if (key === 'name' && !isOwn && typeof own === 'string') return [key, `${own}-${String(copy).padStart(4, '0')}`]
      if (key === 'canonical_name' && typeof own === 'string')
        return [key, own.slice(0, -4) + copy.toString(16).padStart(4, '0')]
      return [key, copyOf(own, copy)]
    }),
  ) as Value
}

/** So many rows. Each row is followed by its copies, so that what was sorted stays sorted. */
function grown<Row extends object>(rows: readonly Row[], count: number): Row[] {
  if (rows.length === 0) return []
  return Array.from({ length: count }, (_, index) => {
    const original = rows[Math.floor((index * rows.length) / count)] as Row
    const row = copyOf(original, index + 1)
    const name = HOSTILE_NAMES[index]
    if (name === undefined) return row
    if ('subject' in row) return { ...row, subject: { ...(row.subject as object), name } }
    return 'name' in row ? { ...row, name } : row
  })
}

async function changed(page: Page, path: RegExp, change: (found: Json, url: URL) => Json | SourceOut[]): Promise<void> {
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const answer = await fetched(route)
    const found = (await answer.json()) as Json
    await route.fulfill({ response: answer, json: answer.ok() ? change(found, new URL(route.request().url())) : found })
  })
}

const rowsOf = (found: Json, key: string) => (found[key] as Json[] | undefined) ?? NO_ROWS
const times = (counts: unknown, factor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(counts as Record<string, number>).map(([name, count]) => [name, count * factor]))

/** An environment of so many things of each kind on forty arrays; lists are as long. */
export async function asFullEnvironment(page: Page, total: number): Promise<void> {
  await asFull(page, total)
  await changed(page, /\/api\/v1\/overview\?/, (found, url) => {
    const [limit, offset] = [Number(url.searchParams.get('limit') ?? 100), Number(url.searchParams.get('offset') ?? 0)]
    const totals = found.totals as Json
    // What rounding leaves over is well.
    const factor = Math.floor(total / Math.max(1, Number(found.total)))
    const left = total - factor * Number(found.total)
    const [severities, states] = [times(totals.by_severity, factor), times(totals.by_state, factor)]
    const all = {
      ...totals,
      by_severity: { ...severities, normal: (severities.normal ?? 0) + left },
      by_confidence: times(totals.by_confidence, factor),
      by_state: { ...states, judged: (states.judged ?? 0) + left },
    }
    const rows = grown(rowsOf(found, 'items'), total).map((row, index) => ({ ...row, arrays: onArray(row, index) }))
    return { ...found, items: rows.slice(offset, offset + limit), total, totals: all }
  })
}

/** The copies of an array are as many as arrays, not as things. */
function onArray(row: Json, index: number) {
  const array = index % ARRAYS
  return rowsOf(row, 'arrays').map((ref, half) => ({
    ...ref,
    id: 1000 * half + array,
    name: HOSTILE_NAMES[array] ?? `pure-fa-dc${half + 1}-${String(array).padStart(2, '0')}`,
  }))
}

/** Forty sources, most of them well. */
export async function asManySources(page: Page): Promise<void> {
  await changed(page, /\/api\/v1\/sources$/, (found) =>
    grown(found as unknown as SourceOut[], 40).map((source, index) =>
      index % 5 === 4 ? sickened(source, Math.floor(index / 5)) : source,
    ),
  )
}

/** A datastore that forty hosts share and five hundred VMs live on. */
export async function asSharedDatastore(page: Page): Promise<void> {
  await asApart(page)
  await changed(page, /\/api\/v1\/datastores\/\d+$/, (found) => ({
    ...found,
    devices: grown(rowsOf(found, 'devices'), 40),
    vms: grown(rowsOf(found, 'vms'), 500),
  }))
  await changed(page, /\/api\/v1\/datastores\/\d+\/hosts\?/, (found) => ({
    ...found,
    hosts: grown(rowsOf(found, 'hosts'), 40),
  }))
  await asBusy(page, 500, 40)
}

/** An array of a thousand volumes. */
export async function asLargeArray(page: Page): Promise<void> {
  await asApart(page)
  await asFull(page, 1000)
  await changed(page, /\/api\/v1\/arrays\/\d+$/, (found) => ({
    ...found,
    volumes: 1000,
    hosts: 120,
    pods: 12,
    pod_list: grown(rowsOf(found, 'pod_list'), 12),
    array_hosts: grown(rowsOf(found, 'array_hosts'), 120),
  }))
  await asBusy(page, 2000, 120)
}

/** A host with as many devices as it may have. */
export async function asLargeHost(page: Page): Promise<void> {
  await asApart(page)
  await changed(page, /\/api\/v1\/hosts\/\d+$/, (found) => ({
    ...found,
    devices: 256,
    vms: 80,
    hbas: grown(rowsOf(found, 'hbas'), 4),
    host_devices: grown(rowsOf(found, 'host_devices'), 256),
  }))
  await asBusy(page, 80, 1)
}

const LISTED_VMS = 20

/** Who takes part: the first of many. */
async function asBusy(page: Page, vms: number, hosts: number): Promise<void> {
  await changed(page, /\/contributors\?/, (found) => ({
    ...found,
    vms: grown(rowsOf(found, 'vms'), Math.min(vms, LISTED_VMS)),
    vms_total: vms,
    hosts: grown(rowsOf(found, 'hosts'), Math.min(hosts, LISTED_VMS)),
    hosts_total: hosts,
  }))
}

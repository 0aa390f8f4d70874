/** Ways to look at a page: as it is, empty, loading, failing, and full of the worst that a customer can have. */

import { type APIRequestContext, expect, type Locator, type Page, type Route } from '@playwright/test'

/** Of this run alone: others may be on their way. */
export const ADMIN_STATE = `${process.env.GAVEL_E2E_STATE_DIR ?? 'test-results'}/admin.json`
const API = '/api/v1'

/** The token that the first start printed. */
export function setupToken(): string {
  const token = process.env.GAVEL_E2E_SETUP_TOKEN
  if (!token) throw new Error('GAVEL_E2E_SETUP_TOKEN is not set: these tests sign in as the first admin.')
  return token
}

interface Row {
  id: number
  name: string
  /** Of datastores. */
  type?: string
  match: { matched: boolean }
  standing: { subject: { name: string } }
  newest: {
    at: string | null
    host_iops: number | null
    host_davg_us: number | null
    array_iops: number | null
    array_internal_us: number | null
  }
}

export interface ListAnswer {
  items: Row[]
  total: number
  limit: number
  offset: number
}

/** An answer of the API. The server closes idle connections: one that closes just as it is taken up again is opened anew. */
export function get(request: APIRequestContext, url: string) {
  return request.get(url, { maxRetries: 2 })
}

export async function api(request: APIRequestContext, path: string): Promise<ListAnswer> {
  const answer = await get(request, API + path)
  if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
  return (await answer.json()) as ListAnswer
}

/** The first datastore that both sides measured. */
export async function aDatastore(request: APIRequestContext): Promise<Row> {
  const { items } = await api(request, '/datastores?limit=500')
  const found = items.find(
    ({ match, newest }) => match.matched && newest.array_internal_us !== null && (newest.host_davg_us ?? 0) > 0,
  )
  if (!found) throw new Error('no datastore has numbers of both sides')
  return found
}

interface Standing {
  subject: { id: number; name: string }
  arrays: { id: number; name: string }[]
  state: string
  severity: string | null
  confidence: string | null
  layer: string | null
  other: string | null
  sentence: { headline: string; detail: string; text: string }
  cause: { headline: string } | null
  iops: number | null
  total_us: number | null
  layers: { layers: string[]; us: number | null }[]
}

/** The datastores, or another kind, what they lose first. */
export async function overviewOf(
  request: APIRequestContext,
  kind = 'datastores',
): Promise<{
  items: Standing[]
  total: number
  from_at: string
  to_at: string
  ledger_until_at: string | null
}> {
  const answer = await get(request, `${API}/overview?kind=${kind}`)
  if (!answer.ok()) throw new Error(`/overview answered ${answer.status()}: ${await answer.text()}`)
  return await answer.json()
}

/** The datastore, or the one of another kind, that loses most. */
export async function aJudged(request: APIRequestContext, kind = 'datastores'): Promise<Standing['subject']> {
  // Of datastores one with devices of its own, which vVols and NFS have not.
  const ofDevices = kind === 'datastores' ? await idsOnDevices(request) : null
  const found = (await overviewOf(request, kind)).items.find(
    ({ state, subject }) => state === 'judged' && (ofDevices === null || ofDevices.has(subject.id)),
  )
  if (!found) throw new Error(`none of the ${kind} has a diagnosis`)
  return found.subject
}

async function idsOnDevices(request: APIRequestContext): Promise<Set<number>> {
  const { items } = await api(request, '/datastores?limit=500')
  return new Set(items.filter(({ type }) => type === 'vmfs').map(({ id }) => id))
}

/** The datastore whose waterfall is most of all array service, whatever happens elsewhere: it is drawn large. */
export async function withMostService(request: APIRequestContext): Promise<Standing['subject']> {
  const { items } = await overviewOf(request)
  const shares = await Promise.all(items.map(({ subject }) => shareOfService(request, subject.id)))
  const most = items[shares.indexOf(Math.max(...shares))]
  if (!most) throw new Error('there are no datastores')
  return most.subject
}

interface Breakdown {
  directions: { direction: string; parts: { name: string; share: number | null }[] }[]
}

async function shareOfService(request: APIRequestContext, datastoreId: number): Promise<number> {
  const answer = await get(request, `${API}/datastores/${datastoreId}/waterfall`)
  if (!answer.ok()) throw new Error(`/waterfall answered ${answer.status()}: ${await answer.text()}`)
  const { directions }: Breakdown = await answer.json()
  const parts = directions.find(({ direction }) => direction === 'all')?.parts ?? []
  return parts.find(({ name }) => name === 'array_service')?.share ?? 0
}

export async function diagnosisOf(
  request: APIRequestContext,
  id: number,
): Promise<{ sentence: { head: { headline: string } }; evidence: { side: string }[] }> {
  return await (await get(request, `${API}/datastores/${id}/diagnosis`)).json()
}

/** A titled part of a page. */
export function card(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}

export type Tab = 'Summary' | 'Path' | 'Counters' | 'Findings' | 'Events'

/** Opens a tab of an object's page. */
export async function openTab(page: Page, title: Tab): Promise<void> {
  const tab = page.getByRole('tab', { name: title })
  await tab.click()
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  // A tab shows that it was pressed before its panel is drawn, and may have a count.
  await expect(page.getByRole('tabpanel')).toHaveAccessibleName(new RegExp(`^${title}`))
}

/** Opens a page by its address from the one that is open, as a link does: nothing is loaded anew. */
export async function goWithin(page: Page, path: string, title: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await expect(page.locator('h1')).toHaveText(title)
}

/** Opens the tab of an object's page that has its raw counters. */
export async function openRaw(page: Page): Promise<void> {
  await openTab(page, 'Counters')
  await expect(card(page, 'Latency by boundary')).toBeVisible()
}

/** The first object of a list, for its page's address. */
export async function firstId(request: APIRequestContext, kind: string): Promise<number> {
  const { items } = await api(request, `/${kind}?limit=1`)
  const [first] = items
  if (!first) throw new Error(`there are no ${kind}`)
  return first.id
}

export const HOSTILE_NAMES = [
  'a'.repeat(200),
  '<img src=x onerror=alert(1)><script>alert(2)</script>',
  '🙂👩‍👩‍👧‍👦 emoji store '.repeat(6),
  'مخزن البيانات الرئيسي للإنتاج رقم واحد في مركز البيانات',
  'two\nlines\u202Egpj.exe',
  'prod-sql-datastore-with-a-very-long-name-that-differs-only-at-the-end-cluster-west-rack-0042-volume-01',
  'prod-sql-datastore-with-a-very-long-name-that-differs-only-at-the-end-cluster-west-rack-0042-volume-02',
]

/** As long as a name may be, and different only at its end. */
const LONG_NAME = `prod-${'very-'.repeat(37)}long-42`.padStart(200, 'x')

/** The real answer; of connections that close, as above. */
export function fetched(route: Route, url = new URL(route.request().url())) {
  return route.fetch({ url: url.toString(), maxRetries: 2 })
}

const LISTS = /\/api\/v1\/(datastores|vms|hosts|volumes|arrays)\?/
const DATA = /\/api\/v1\/(?!session|live|source-kinds)/

/** Every page of every list, `total` rows long: the real answers' rows again and again, the first ones with hostile names. */
export async function asFull(page: Page, total: number): Promise<void> {
  await page.route(LISTS, async (route) => {
    const url = new URL(route.request().url())
    const [limit, offset] = [Number(url.searchParams.get('limit')), Number(url.searchParams.get('offset'))]
    url.searchParams.set('offset', '0')
    const answer = await fetched(route, url)
    const { items } = (await answer.json()) as ListAnswer
    const rows = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, index) =>
      many(items, offset + index),
    )
    await route.fulfill({ response: answer, json: { items: rows, total, limit, offset } })
  })
}

function many(items: readonly Row[], index: number): Row {
  const row = items[index % items.length] as Row
  const name = HOSTILE_NAMES[index] ?? `${row.name}-${String(index).padStart(4, '0')}`
  // Its first column is what its standing is about.
  const standing = { ...row.standing, subject: { ...row.standing.subject, name } }
  return { ...row, name, standing }
}

/** Where a name from outside stands: of an object, a device, an export, a source of evidence, or what a user called a rule or channel. */
const NAME_KEYS = new Set(['name', 'canonical_name', 'nfs_export', 'source', 'rule_name', 'channel_name'])
/** More of them, in rows of their own. */
const NAMES_KEYS = new Set(['connected_hosts', 'preferred_arrays', 'path'])
/** What only looks like one: numbers of things, addresses of services. */
const NO_NAME_KEYS = new Set(['id', 'from_id', 'to_id', 'address', 'kind', 'counter', 'rule_key'])
const LISTED = ['datastores', 'vms', 'hosts', 'volumes', 'arrays'] as const

type Naming = (name: string) => string

/** Every name from outside as `naming` makes it, wherever it stands, also inside sentences; Gavel's own words stay. */
async function asRenamed(page: Page, naming: Naming): Promise<void> {
  const lists = await Promise.all(LISTED.map((kind) => api(page.request, `/${kind}?limit=500`)))
  const known = new Set(lists.flatMap(({ items }) => items.map(({ name }) => name)))
  await page.route(DATA, async (route) => {
    const answer = await fetched(route)
    const found: unknown = await answer.json()
    await route.fulfill({ response: answer, json: renamed(found, naming, tokensOf(known)) })
  })
}

/** Each of the names as a whole word of a sentence, the longest first. */
function tokensOf(known: ReadonlySet<string>): RegExp {
  const names = [...known]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(?<![\\w.-])(?:${names.join('|')})(?![\\w-]|\\.\\w)`, 'g')
}

function renamed(value: unknown, naming: Naming, tokens: RegExp): unknown {
  if (typeof value === 'string') return value.replace(tokens, naming)
  if (Array.isArray(value)) return value.map((one) => renamed(one, naming, tokens))
  if (value === null || typeof value !== 'object') return value
  // What has a label is named by Gavel: a column, a layer, a hop. A virtual disk's label is the customer's.
  const isOwn = 'label' in value
  return Object.fromEntries(
    Object.entries(value).map(([key, own]) => {
      const isName = (NAME_KEYS.has(key) && !isOwn) || (key === 'label' && 'controller_type' in value)
      if (typeof own === 'string' && isName) return [key, naming(own)]
      if (Array.isArray(own) && NAMES_KEYS.has(key)) return [key, own.map((one) => naming(String(one)))]
      return [key, NO_NAME_KEYS.has(key) ? own : renamed(own, naming, tokens)]
    }),
  )
}

/** Every name of every answer 200 characters long: of the object itself, its sources, hosts, volumes, VMs and parts. */
export function asLongNamed(page: Page): Promise<void> {
  return asRenamed(page, (name) => `${LONG_NAME.slice(name.length)}${name}`)
}

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script><b>🙂👩‍👩‍👧‍👦 مخزن\u202Egpj.exe ${'a'.repeat(200)}`

/** All at once: markup, emoji, right to left, and as long as a name may be; what it was at its end. */
export const hostileName: Naming = (name) => `${HOSTILE.slice(0, 199 - name.length)} ${name}`

export function asHostilelyNamed(page: Page): Promise<void> {
  return asRenamed(page, hostileName)
}

const OVER_TIME =
  /\/api\/v1\/(overview|environment\/latency|\w+\/\d+\/(series|latency|waterfall|diagnosis|occupancy|contributors|deltas|evidence|hops|hosts))(\?|$)/
/** A time of which no fresh Gavel knows anything: its own words about that are the picture. */
const BEFORE_GAVEL = { from: '-9d', to: '-8d' }

const ALERT_LISTS = /\/api\/v1\/(alert-rules|silences|maintenance-windows|channels|alerts\/late)(\?|$)/
const ALERT_PAGED = /\/api\/v1\/(alerts\/history|notifications)\?/

const OBJECTS = /\/api\/v1\/(datastores|vms|hosts|volumes|arrays)\/\d+(\/|\?|$)/

/** A Gavel that has no source: there is nothing in any list, no object, no age. */
export async function asEmpty(page: Page): Promise<void> {
  await page.route(ALERT_LISTS, (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: [] }) : route.fallback(),
  )
  await page.route(ALERT_PAGED, (route) => route.fulfill({ json: { items: [], total: 0, limit: 100, offset: 0 } }))
  await page.route(/\/api\/v1\/alerts\/now/, (route) =>
    route.fulfill({ json: { alerts: [], pending: [], analyzed_until_at: null } }),
  )
  await page.route(LISTS, (route) => route.fulfill({ json: { items: [], total: 0, limit: 100, offset: 0 } }))
  await page.route(/\/api\/v1\/sources$/, (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: [] }) : route.fallback(),
  )
  await page.route(/\/api\/v1\/search\?/, (route) => route.fulfill({ json: [] }))
  await asUnjudged(page)
  await page.route(/\/api\/v1\/environment\/latency\?/, async (route) => {
    const answer = await fetched(route, longAgo(route))
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ledger_until_at: null } })
  })
  await page.route(/\/api\/v1\/overview(\?|$)/, async (route) => {
    const answer = await fetched(route, longAgo(route))
    await route.fulfill({ response: answer, json: unknown(await answer.json()) })
  })
  await page.route(OBJECTS, (route) => {
    const detail = 'There is nothing of this number.'
    const body = { type: 'about:blank', title: 'Not Found', status: 404, detail, errors: [] }
    return route.fulfill({ status: 404, contentType: 'application/problem+json', body: JSON.stringify(body) })
  })
}

const NOTHING = {
  object: null,
  diagnosis: null,
  waterfall: null,
  latency: null,
  contributors: null,
  hosts: null,
  happened: null,
}

/** No section of an object's page comes with its summary: each asks its own address, whose answer a scene may change. */
export async function asApart(page: Page): Promise<void> {
  await page.route(/\/summary\?/, (route) => route.fulfill({ json: { ...NOTHING, failed: Object.keys(NOTHING) } }))
}

/** Sources are there, and nothing of the window has been attributed. */
export async function asUnjudged(page: Page): Promise<void> {
  await asApart(page)
  await page.route(OVER_TIME, async (route) => route.fulfill({ response: await fetched(route, longAgo(route)) }))
}

/** The same question about a time of which no fresh Gavel knows anything. */
function longAgo(route: Route): URL {
  const url = new URL(route.request().url())
  for (const [name, before] of Object.entries(BEFORE_GAVEL)) url.searchParams.set(name, before)
  return url
}

/** The ranking of a Gavel that no source ever told of anything. */
function unknown(ranking: { totals: object }) {
  const none = Object.fromEntries(Object.entries(ranking.totals).map(([name, value]) => [name, nothingOf(value)]))
  return { ...ranking, items: [], total: 0, ledger_until_at: null, totals: none }
}

const nothingOf = (value: unknown) => (typeof value === 'number' ? 0 : typeof value === 'object' && value ? {} : value)

const OUTAGE_DETAIL = 'The database does not answer. Gavel keeps trying; `gavel status` says more.'
/** As pages say it: commands are set as such, without their ticks. */
export const OUTAGE = OUTAGE_DETAIL.replaceAll('`', '')

export async function asFailing(page: Page): Promise<void> {
  await page.route(DATA, fail)
}

export function fail(route: Route): Promise<void> {
  const body = { type: 'about:blank', title: 'Unavailable', status: 503, detail: OUTAGE_DETAIL, errors: [] }
  return route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(body) })
}

/** Answers that never come; the page is closed before its own deadline. */
export async function asLoading(page: Page): Promise<void> {
  await page.route(DATA, () => undefined)
}

/** Scrolls an object's page to its first chart, which is drawn once it comes near the screen: a long diagnosis keeps it from there. */
export async function firstChart(page: Page): Promise<void> {
  const breakdown = card(page, 'Latency breakdown')
  await breakdown.scrollIntoViewIfNeeded()
  await expect(breakdown.locator('canvas')).toBeVisible()
}

/** Alerts in every state, with names that a customer may have: the API's own examples, many times over, on today's clock. */

import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { gavelNow } from './clock'
import { asLongNamed, get, HOSTILE_NAMES } from './scenes'

const EXAMPLES = JSON.parse(
  readFileSync(new URL('../../backend/gavel/api/examples_alerts.json', import.meta.url), 'utf8'),
)

export const ALERT_PAGES = ['/alerts', '/alerts/rules', '/alerts/silences', '/alerts/channels'] as const

const MINUTE_MS = 60_000
/** The beginning of the minute that was so many minutes ago: what is judged are whole minutes. */
const ago = (minutes: number) =>
  new Date((Math.floor(gavelNow() / MINUTE_MS) - minutes) * MINUTE_MS).toISOString().replace('.000Z', 'Z')
const minutesSince = (at: string) => Math.floor(gavelNow() / MINUTE_MS) - Math.floor(Date.parse(at) / MINUTE_MS)
const clock = (at: string) => `${at.slice(11, 16)} UTC`
const dayAndClock = (at: string) => `${at.slice(0, 10)} ${clock(at)}`

const STATES = ['firing', 'firing', 'recovering', 'no_data', 'firing'] as const
const SEVERITIES = ['critical', 'warning', 'info'] as const
const quiet = () => `silenced by Kim until ${dayAndClock(ago(-120))}: the fabric is being looked at`

/** What an alert is about, and what is called after it. */
function about(name: string) {
  const [alert] = EXAMPLES.alerts_now.alerts
  return {
    subject: { ...alert.subject, name },
    path: ['fa-1', `vol-${name}`, name],
    labels: { ...alert.labels, object: name, datastore: name },
  }
}

const diagnosisSince = (at: string) => {
  const claim = `Kernel queue on esx-14: 0.44 of 0.93 ms since ${clock(at)}, 0.44 ms above baseline. Confirmed.`
  const evidence = '64 I/Os outstanding; busiest device queue on esx-14: ACTV ≈ 32, DQLEN 32; array latency 0.40 ms.'
  return { claim, evidence, limits: '', action: 'Spread the VMs over more datastores', text: `${claim} — ${evidence}` }
}

const nameOf = (index: number) => HOSTILE_NAMES[index] ?? `ds-prod-${String(index).padStart(2, '0')}`

/** When it began, and what followed from that: pending for four minutes, then firing, then what its state says. */
function times(state: string, began: number) {
  const isPending = state === 'pending'
  const changed: Record<string, number> = { pending: began, recovering: 2, no_data: 5 }
  return {
    started_at: ago(began),
    fired_at: isPending ? null : ago(began - 4),
    since_at: ago(changed[state] ?? began - 4),
    peak_at: ago(isPending ? began : began - 3),
    sentence: isPending ? null : diagnosisSince(ago(began)),
  }
}

/** One open alert; every fifth is silenced, every seventh acknowledged. */
export function anAlert(index: number, state: string = STATES[index % STATES.length] ?? 'firing') {
  const [alert] = EXAMPLES.alerts_now.alerts
  const isOver = state === 'recovering'
  return {
    ...alert,
    ...about(nameOf(index)),
    ...times(state, state === 'pending' ? 2 + (index % 2) : 12 + 7 * index),
    id: 1000 + index,
    state,
    severity: SEVERITIES[index % SEVERITIES.length],
    value: isOver ? 180 : alert.value,
    lower: isOver ? 150 : index % 4 === 3 ? null : alert.lower,
    quiet: index % 5 === 4 ? quiet() : null,
    ...(index % 7 === 6 ? { acknowledged_at: ago(1), acknowledged_by: 'Kim <b>', acknowledged_note: 'on it' } : {}),
  }
}

/** One that is over: below its limit for five minutes before it was. */
function aPastAlert(index: number) {
  const began = 24 + 6 * index
  const ended = { recovered_at: ago(began - 15), ended_at: ago(began - 20), since_at: ago(began - 20) }
  return { ...anAlert(index, 'firing'), ...times('firing', began), ...ended, id: 2000 + index, state: 'resolved' }
}

export async function asAlerts(
  page: Page,
  alerts: readonly unknown[],
  pending: readonly unknown[] = [],
): Promise<void> {
  await page.route(/\/api\/v1\/alerts\/now/, (route) =>
    route.fulfill({ json: { alerts, pending, analyzed_until_at: ago(1) } }),
  )
}

const CHANNEL_STATES = ['ok', 'failing', 'off', 'disabled'] as const
const GONE = 'The receiver answered 410: this address is gone. Make a new one there.'
/** As long as answers get. */
export const AWAY =
  'Connecting to chat.example.org:443 took longer than 10 s. Check the address, the firewall between, and that the receiver answers.'

function someChannels(names: readonly string[]) {
  const [channel] = EXAMPLES.channels
  return CHANNEL_STATES.map((state, index) => ({
    ...channel,
    id: index + 1,
    name: names[index],
    state,
    enabled: state !== 'disabled',
    second_id: index === 0 ? null : 1,
    failures: state === 'failing' ? 4 : 0,
    retry_at: state === 'failing' ? ago(-2) : null,
    off_reason: state === 'off' ? GONE : null,
    dead: state === 'off' ? 2 : 0,
    pending: state === 'failing' ? 1 : 0,
    last_delivered_at: state === 'ok' ? ago(3) : ago(90),
  }))
}

/** What was sent on these channels: as many messages in each state as the channels say of themselves. */
function someMessages(channels: ReturnType<typeof someChannels>) {
  const [example] = EXAMPLES.notifications.items
  const fates = channels.flatMap(({ state }, place) => {
    if (state === 'failing') return [{ place, state: 'pending', detail: AWAY, attempts: 4 }]
    if (state === 'off') return [1, 2].map(() => ({ place, state: 'dead', detail: GONE, attempts: 1 }))
    return state === 'ok'
      ? [1, 2].map(() => ({ place, state: 'delivered', detail: 'accepted with 200', attempts: 1 }))
      : []
  })
  return fates.map(({ place, ...fate }, index) => ({
    ...example,
    ...fate,
    id: 12 + index,
    event_id: `evt_${index}_5f1d0c_1`,
    channel_id: channels[place]?.id,
    channel_name: channels[place]?.name,
    sentence: diagnosisSince(ago(12 + 7 * index)).text,
    alert_ids: [1000 + index],
    created_at: ago(8 + 7 * index),
    next_at: fate.state === 'pending' ? ago(-2) : null,
    finished_at: fate.state === 'pending' ? null : ago(8 + 7 * index),
  }))
}

/** One in force, one to come and one that is over; by whom and why in names as they come. */
function someSilences(names: readonly string[]) {
  const [silence] = EXAMPLES.silences
  return [
    ['active', 60, -120, 2],
    ['coming', -60, -180, 0],
    ['over', 600, 480, 0],
  ].map(([state, from, until, matching], index) => ({
    ...silence,
    id: index + 1,
    matchers: silence.matchers.map((one: object) => ({ ...one, pattern: index === 0 ? names[0] : 'ds-prod-*' })),
    state,
    from_at: ago(Number(from)),
    created_at: ago(Math.max(Number(from), 1) + 1),
    until_at: ago(Number(until)),
    reason: names[index + 1] ?? silence.reason,
    matching,
  }))
}

function someWindows(names: readonly string[]) {
  const [window] = EXAMPLES.maintenance_windows
  const today = { first_day: ago(30).slice(0, 10), starts: `${ago(30).slice(11, 16)}:00`, zone: 'UTC' }
  return [
    { ...window, id: 1, name: names[0], is_on: false },
    { ...window, id: 2, name: names[1], is_on: true, ...today, repeat: 'once', weekdays: [], matchers: [] },
  ]
}

/** The one that made the alerts, and of each kind: on, off, of customers' names, and one that cannot be judged. */
function someRules(names: readonly string[]) {
  const [rule] = EXAMPLES.alert_rules
  const broken = { error: 'where.cluster: no pattern is given.', error_at: ago(20) }
  const others = names.map((name, index) => ({
    ...rule,
    id: 100 + index,
    key: `rule_${index}`,
    name,
    severity: SEVERITIES[index % SEVERITIES.length],
    enabled: index % 3 !== 2,
    open: index % 3 === 0 ? index + 1 : 0,
    is_default: index % 2 === 1,
    ...(index === 1 ? broken : {}),
  }))
  return [rule, ...others]
}

/** Everything about alerts, full: open and past ones, rules, silences, windows, channels in every state and their log. */
export async function asAlarmed(page: Page, names: readonly string[] = HOSTILE_NAMES.slice(1)): Promise<void> {
  const many = Array.from({ length: 10 }, (_, index) => anAlert(index))
  await asAlerts(page, many, [anAlert(41, 'pending'), anAlert(42, 'pending')])
  const past = Array.from({ length: 9 }, (_, index) => aPastAlert(index))
  await page.route(/\/api\/v1\/alerts\/history/, (route) =>
    route.fulfill({ json: { items: past, total: past.length, limit: 100, offset: 0 } }),
  )
  const late = EXAMPLES.late_breaches.map((one: { minutes: number }) => ({
    ...one,
    from_at: ago(40),
    to_at: ago(40 - one.minutes),
  }))
  await page.route(/\/api\/v1\/alerts\/late/, (route) => route.fulfill({ json: late }))
  await page.route(/\/api\/v1\/alert-rules$/, (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: someRules(names) }) : route.fallback(),
  )
  await asToldOn(page, someChannels(names))
  await page.route(/\/api\/v1\/silences$/, (route) => route.fulfill({ json: someSilences(names) }))
  await page.route(/\/api\/v1\/maintenance-windows$/, (route) => route.fulfill({ json: someWindows(names) }))
}

async function asToldOn(page: Page, channels: ReturnType<typeof someChannels>): Promise<void> {
  const messages = someMessages(channels)
  await page.route(/\/api\/v1\/channels$/, (route) => route.fulfill({ json: channels }))
  await page.route(/\/api\/v1\/notifications\?/, (route) => {
    const asked = new URL(route.request().url()).searchParams
    const items = messages.filter(
      ({ channel_id, state }) =>
        [null, String(channel_id)].includes(asked.get('channel_id')) && [null, state].includes(asked.get('state')),
    )
    return route.fulfill({ json: { items, total: items.length, limit: 100, offset: 0 } })
  })
  await page.route(/\/api\/v1\/notifications\/\d+$/, (route) => {
    const id = Number(new URL(route.request().url()).pathname.split('/').at(-1))
    const message = messages.find((one) => one.id === id)
    const log = EXAMPLES.one_notification.log.map((one: object) => ({ ...one, started_at: message?.created_at }))
    return route.fulfill({ json: { ...EXAMPLES.one_notification, ...message, log } })
  })
}

/** Rules, silences and channels whose every name is as long as one may be; a fresh Gavel has none of its own. */
export async function asLongAlarmed(page: Page): Promise<void> {
  await asLongNamed(page)
  const long = Array.from({ length: 6 }, (_, index) => `prod-${'very-'.repeat(37)}long-${index}`.padStart(200, 'x'))
  await asAlarmed(page, long)
}

interface Layered {
  layer: string | null
  sentence: { head: { text: string }; confidence: string; reasons: { text: string }[]; text: string }
  since_at: string | null
  excess_outstanding: number | null
  layers: { layers: string[]; us: number; lower_us: number }[]
}

/** As it stays with the alert. */
function storedOf({ head, confidence, reasons, text }: Layered['sentence']) {
  const evidence = reasons.map((one) => one.text).join('; ')
  return {
    claim: `${head.text}. ${confidence}.`,
    evidence: evidence === '' ? '' : `${evidence}.`,
    limits: '',
    action: '',
    text,
  }
}

/** One alert with its whole story, of the object that is given: what its own diagnosis says by now is what the alert was made of. */
export async function asOneAlert(
  page: Page,
  subject: { id: number; name: string },
  answer = 'accepted with 200',
): Promise<void> {
  const [diagnosis, thing] = await Promise.all([
    answered(page, `/datastores/${subject.id}/diagnosis`) as Promise<Layered>,
    answered(page, `/datastores/${subject.id}`) as Promise<{ volumes: { name: string; array: { name: string } }[] }>,
  ])
  const single = diagnosis.layers.filter(({ layers }) => layers.length === 1)
  const named = single.find(({ layers }) => layers[0] === diagnosis.layer)
  const { layers, us, lower_us } = named ?? single.reduce((most, one) => (one.us > most.us ? one : most))
  const [volume] = thing.volumes
  const measure = { quantity: 'latency', part: layers[0], direction: 'all', unit: 'µs' }
  const [rule] = EXAMPLES.alert_rules
  const condition = { ...rule.when[0], part: layers[0], at_least: Math.round(lower_us / 2), recover_below: null }
  const rule_name = `Time in the ${layers[0]}`
  const lasts = diagnosis.since_at === null ? 8 : Math.max(6, minutesSince(diagnosis.since_at))
  const [began, fired, told] = [ago(lasts), ago(lasts - 4), ago(lasts - 5)]
  const [channel] = someChannels(['storage on call'])
  const alert = {
    ...EXAMPLES.one_alert,
    ...{
      rule_name,
      measure,
      subject: { ...subject, kind: 'datastore' },
      layer: layers[0],
      excess_outstanding: diagnosis.excess_outstanding,
    },
    path: volume === undefined ? [subject.name] : [volume.array.name, volume.name, subject.name],
    labels: {
      ...EXAMPLES.one_alert.labels,
      rule: rule.key,
      layer: layers[0],
      object: subject.name,
      datastore: subject.name,
    },
    ...{ started_at: began, fired_at: fired, since_at: fired, sentence: storedOf(diagnosis.sentence) },
    ...{ value: us, lower: lower_us, peak: us * 1.05, peak_lower: lower_us, peak_at: ago(lasts - 2) },
    newest: { at: ago(2), value: us, lower: lower_us },
    transitions: EXAMPLES.one_alert.transitions.map((one: { sequence: number }) => ({
      ...one,
      ...{ value: us, lower: lower_us },
      ...(one.sequence === 1
        ? { minute_at: began, detected_at: ago(lasts - 1) }
        : { minute_at: fired, detected_at: told }),
    })),
    messages: EXAMPLES.one_alert.messages.map((one: object) => ({
      ...one,
      ...{ channel_id: channel?.id, channel_name: channel?.name, created_at: told, finished_at: told, detail: answer },
    })),
  }
  await page.route(/\/api\/v1\/alerts\/\d+$/, (route) => route.fulfill({ json: alert }))
  await page.route(/\/api\/v1\/alerts\/late/, (route) => route.fulfill({ json: [] }))
  await asToldOn(page, channel === undefined ? [] : [channel])
  await page.route(/\/api\/v1\/alert-rules$/, (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: [{ ...rule, id: alert.rule_id, name: rule_name, when: [condition] }] })
      : route.fallback(),
  )
}

async function answered(page: Page, path: string): Promise<unknown> {
  const answer = await get(page.request, `/api/v1${path}`)
  if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
  return await answer.json()
}

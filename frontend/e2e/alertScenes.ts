/** Alerts in every state, with names that a customer may have: the API's own examples, many times over. */

import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { HOSTILE_NAMES } from './scenes'

const EXAMPLES = JSON.parse(
  readFileSync(new URL('../../backend/gavel/api/examples_alerts.json', import.meta.url), 'utf8'),
)

export const ALERT_PAGES = ['/alerts', '/alerts/rules', '/alerts/silences', '/alerts/channels'] as const

const MINUTE_MS = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString()

const STATES = ['firing', 'firing', 'recovering', 'no_data', 'firing'] as const
const SEVERITIES = ['critical', 'warning', 'info'] as const
const QUIET = 'silenced by Kim until 2026-11-21 06:00 UTC: the fabric is being looked at'

/** One open alert; every fifth is silenced, every seventh acknowledged. */
export function anAlert(index: number, state: string = STATES[index % STATES.length] ?? 'firing') {
  const [alert] = EXAMPLES.alerts_now.alerts
  const name = HOSTILE_NAMES[index] ?? `ds-prod-${String(index).padStart(2, '0')}`
  return {
    ...alert,
    id: 1000 + index,
    state,
    severity: SEVERITIES[index % SEVERITIES.length],
    subject: { ...alert.subject, name },
    started_at: ago(12 + 7 * index),
    fired_at: state === 'pending' ? null : ago(8 + 7 * index),
    lower: index % 4 === 3 ? null : alert.lower,
    quiet: index % 5 === 4 ? QUIET : null,
    ...(index % 7 === 6 ? { acknowledged_at: ago(3), acknowledged_by: 'Kim <b>', acknowledged_note: 'on it' } : {}),
  }
}

export async function asAlerts(
  page: Page,
  alerts: readonly unknown[],
  pending: readonly unknown[] = [],
): Promise<void> {
  await page.route(/\/api\/v1\/alerts\/now/, (route) =>
    route.fulfill({ json: { alerts, pending, judged_until_at: ago(1) } }),
  )
}

const CHANNEL_STATES = ['ok', 'failing', 'off', 'disabled'] as const

/** Everything about alerts, full: open and past ones, silences, windows, channels in every state and their log. */
export async function asAlarmed(page: Page): Promise<void> {
  const many = Array.from({ length: 10 }, (_, index) => anAlert(index))
  await asAlerts(page, many, [anAlert(41, 'pending'), anAlert(42, 'pending')])
  const past = many.map((alert) => ({ ...alert, state: 'resolved', ended_at: ago(1) }))
  await page.route(/\/api\/v1\/alerts\/history/, (route) =>
    route.fulfill({ json: { items: past, total: past.length, limit: 100, offset: 0 } }),
  )
  const late = EXAMPLES.late_breaches.map((one: object) => ({ ...one, from_at: ago(20), to_at: ago(17) }))
  await page.route(/\/api\/v1\/alerts\/late/, (route) => route.fulfill({ json: late }))
  const [channel] = EXAMPLES.channels
  const channels = CHANNEL_STATES.map((state, index) => ({
    ...channel,
    id: index + 1,
    name: HOSTILE_NAMES[index + 1],
    state,
    second_id: index === 0 ? null : 1,
    failures: state === 'failing' ? 4 : 0,
    retry_at: state === 'failing' ? ago(-2) : null,
    off_reason: state === 'off' ? 'The receiver answered 410: this address is gone. Make a new one there.' : null,
    dead: index,
    pending: index,
  }))
  await page.route(/\/api\/v1\/channels$/, (route) => route.fulfill({ json: channels }))
  await page.route(/\/api\/v1\/notifications\?/, (route) => route.fulfill({ json: EXAMPLES.notifications }))
  await page.route(/\/api\/v1\/notifications\/\d+$/, (route) => route.fulfill({ json: EXAMPLES.one_notification }))
  await page.route(/\/api\/v1\/silences$/, (route) => route.fulfill({ json: EXAMPLES.silences }))
  await page.route(/\/api\/v1\/maintenance-windows$/, (route) => route.fulfill({ json: EXAMPLES.maintenance_windows }))
}

/** One alert with its whole story, of the object that is given. */
export async function asOneAlert(page: Page, subject: { id: number; name: string }): Promise<void> {
  const times = { started_at: ago(20), fired_at: ago(16), since_at: ago(16) }
  const minutes: Record<number, number> = { 1: 20, 2: 16 }
  await page.route(/\/api\/v1\/alerts\/\d+$/, (route) =>
    route.fulfill({
      json: {
        ...EXAMPLES.one_alert,
        ...times,
        subject: { ...subject, kind: 'datastore' },
        transitions: EXAMPLES.one_alert.transitions.map((one: { sequence: number }) => ({
          ...one,
          minute_at: ago(minutes[one.sequence] ?? 10),
          found_at: ago((minutes[one.sequence] ?? 10) - 1),
        })),
        messages: EXAMPLES.one_alert.messages.map((one: object) => ({
          ...one,
          created_at: ago(15),
          finished_at: ago(15),
        })),
      },
    }),
  )
}

/** One finding with everything that a finding can have, in place of those of the lab. */

import type { Page } from '@playwright/test'
import { pathsDown } from '../src/testing/findings'

export async function asFinding(page: Page) {
  const totals = {
    state: { open: 1, accepted: 0, cleared: 3 },
    severity: { high: 0, elevated: 1, normal: 0 },
    rule: [{ rule: pathsDown.rule, title: pathsDown.rule_title, open: 1 }],
  }
  const list = { items: [pathsDown], total: 1, limit: 100, offset: 0, totals, evaluated_at: pathsDown.seen_at }
  await page.route(/\/api\/v1\/findings(\?|$)/, (route) => route.fulfill({ json: list }))
  await page.route(/\/api\/v1\/findings\/7(\/accept)?$/, (route) => route.fulfill({ json: pathsDown }))
}

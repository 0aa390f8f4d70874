import type { Page } from '@playwright/test'
import { settled, violationsInDarkAndLight } from './accessible'
import { ALERT_PAGES, AWAY, anAlert, asAlarmed, asAlerts, asOneAlert } from './alertScenes'
import { gavelNow } from './clock'
import { ADMIN_STATE, aJudged, asEmpty, asFailing, asLongNamed, fail, OUTAGE, openTab } from './scenes'
import { expect, test } from './watch'

test.use({ storageState: ADMIN_STATE })

test('pages of alerts are accessible and inert', async ({ page, request }) => {
  await asAlarmed(page)
  await asOneAlert(page, await aJudged(request))
  for (const path of [...ALERT_PAGES, '/alerts/41', '/', '/wall/environment']) {
    await page.goto(path)
    await settled(page)
    await expect(page.locator('main img, main script')).toHaveCount(0)
    expect(await violationsInDarkAndLight(page), path).toEqual([])
  }
})

test('pages of alerts say what failed, or why they are empty and what to do', async ({ page, watched }) => {
  watched.expected.push(/503/)
  const empty: Record<(typeof ALERT_PAGES)[number], string> = {
    '/alerts': 'No rule enabled',
    '/alerts/rules': 'No alert can fire',
    '/alerts/silences': 'No silences',
    '/alerts/channels': 'No channels yet',
  }
  await asEmpty(page)
  for (const path of ALERT_PAGES) {
    await page.goto(path)
    await expect(page.getByText(empty[path]).first()).toBeVisible()
  }
  await asFailing(page)
  for (const path of ALERT_PAGES) {
    await page.goto(path)
    await expect(page.getByRole('alert').first()).toContainText(OUTAGE)
  }
})

test('pages of alerts fit a phone, whatever the names', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await asLongNamed(page)
  await asAlarmed(page)
  for (const path of ALERT_PAGES) {
    await page.goto(path)
    await settled(page)
    const overhang = await page.evaluate(() =>
      Math.max(
        ...[document.documentElement, document.querySelector('main')].map((box) =>
          box ? box.scrollWidth - box.clientWidth : 0,
        ),
      ),
    )
    expect(overhang, path).toBeLessThanOrEqual(0)
  }
  // What decides and what can be done is in sight: no table is wider than the phone.
  const decisive: [string, RegExp][] = [
    ['/alerts/rules', /^Edit /],
    ['/alerts/silences', /^End silence/],
    ['/alerts/silences', /^Edit /],
    ['/alerts/channels', /^WARNING/],
  ]
  for (const [path, name] of decisive) {
    await page.goto(path)
    const button = page.getByRole('button', { name }).first()
    await expect(button).toBeVisible()
    // A row that is drawn anew between the two has no place for a moment.
    await expect(async () => {
      const box = await button.boundingBox()
      expect(box, `${path}: ${name}`).not.toBeNull()
      expect((box?.x ?? 0) + (box?.width ?? 0), `${path}: ${name}`).toBeLessThanOrEqual(390)
    }).toPass({ timeout: 20_000 })
    const wider = await page
      .locator('section[aria-label$=", scrolls"]')
      .evaluateAll((tables) => tables.filter((table) => table.scrollWidth > table.clientWidth).length)
    expect(wider, path).toBe(0)
  }
  await page.goto('/alerts')
  const firing = page.getByRole('region', { name: 'Open alerts, scrolls' })
  await expect(firing.getByRole('link').first()).toBeVisible()
  expect(await firing.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeLessThanOrEqual(1)
})

test('what a receiver answered is read whole beside its delivery, on every screen', async ({ page, request }) => {
  await asOneAlert(page, await aJudged(request), AWAY)
  for (const width of [1440, 1920, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/alerts/41')
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    const answer = deliveries.getByText(AWAY)
    await answer.scrollIntoViewIfNeeded()
    const cut = await answer.evaluate((one) => {
      const inside = [one, one.closest('td')].map((box) => (box === null ? 0 : box.scrollWidth - box.clientWidth))
      return { inside, right: one.closest('table')?.getBoundingClientRect().right ?? Number.NaN }
    })
    expect(Math.max(...cut.inside), `at ${width} px`).toBeLessThanOrEqual(0)
    expect(cut.right, `at ${width} px`).toBeLessThanOrEqual(width)
  }
})

test('a number keeps its beginning, whatever day its minute is of', async ({ page }) => {
  await asAlerts(page, [{ ...anAlert(0, 'firing'), since_at: '2026-01-02T03:04:00Z' }, anAlert(2, 'recovering')])
  await page.goto('/alerts')
  const rows = page.getByRole('table', { name: 'Open alerts' }).getByRole('row')
  await expect(rows.nth(1)).toContainText(/0\.44 ms\s*at 2 Jan, 03:04/)
  const clipped = await rows.locator('td span').evaluateAll(
    (spans) =>
      spans.filter((span) => {
        const cell = span.closest('td')
        return cell !== null && span.getBoundingClientRect().left < cell.getBoundingClientRect().left
      }).length,
  )
  expect(clipped).toBe(0)
})

test('who is woken reads on the first screen of a phone what it is about, what holds now, and what to do', async ({
  page,
  request,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const subject = await aJudged(request)
  await asOneAlert(page, subject)
  await page.goto('/alerts/41')
  const heading = page.getByRole('heading', { level: 1, name: `Datastore ${subject.name}` })
  const now = page.getByText(/^Now .*ago/)
  const open = page.getByRole('link', { name: /^Open datastore at / })
  const acknowledge = page.getByRole('button', { name: 'Acknowledge' })
  for (const part of [heading, now, open, acknowledge]) await expect(part).toBeInViewport({ ratio: 1 })
  await open.click()
  await expect(page).toHaveURL(new RegExp(`/datastores/${subject.id}\\?.*from=.*to=`))
})

/** As for somebody who comes back to the page: what was read a moment ago is not read again at once. */
async function askedAgain(page: Page): Promise<void> {
  await expect(async () => {
    const refreshed = page.waitForResponse(/\/alerts\/now/, { timeout: 1500 })
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await refreshed
  }).toPass()
}

test('a new alert comes in above, the focus stays with the alert that has it, and the menu counts', async ({
  page,
  watched,
}) => {
  const old = anAlert(20, 'firing')
  await asAlerts(page, [old])
  await page.goto('/alerts')
  const nav = page.getByRole('navigation', { name: 'Pages' })
  await expect(nav.getByRole('link', { name: 'Alerts 1 firing' })).toBeVisible()
  const link = page.getByRole('table', { name: 'Open alerts' }).locator(`a[href$="/alerts/${old.id}"]`)
  await link.focus()
  // On top of the first answer: between two answers the product's own would take the row away, and the focus with it.
  await asAlerts(page, [anAlert(21, 'firing'), old])
  await askedAgain(page)
  await expect(nav.getByRole('link', { name: 'Alerts 2 firing' })).toBeVisible()
  await expect(link).toBeFocused()
  // What was last read stays while reading fails, and says so; before anything was read it is not known.
  watched.expected.push(/503/)
  await page.route(/\/alerts\/now/, fail)
  await askedAgain(page)
  await expect(
    nav.getByRole('link', { name: /^Alerts 2 firing at \d\d:\d\d:\d\d UTC, no update since$/ }),
  ).toBeVisible()
  await page.reload()
  await expect(nav.getByRole('link', { name: 'Alerts number of firing alerts unknown' })).toContainText('?')
})

test('what fires stands on the overview, on its own page and on walls, in words, and leads to the alert', async ({
  page,
  request,
}) => {
  const { id, name } = await aJudged(request)
  const subject = { kind: 'datastore', id, name }
  const firing = { ...anAlert(20, 'firing'), severity: 'critical', subject, acknowledged_at: null, quiet: null }
  const over = { ...firing, id: 77, state: 'resolved', ended_at: firing.fired_at, fired_at: firing.started_at }
  await asAlerts(page, [firing])
  await page.route(/\/api\/v1\/alerts\/history/, (route) =>
    route.fulfill({ json: { items: [firing, over], total: 2, limit: 100, offset: 0 } }),
  )
  for (const path of ['/', `/datastores/${id}`]) {
    await page.goto(`${path}?last=6h`)
    const now = page.getByRole('region', { name: 'Active alerts' })
    await expect(now).toContainText(/critical.*≥ .*started \d+/)
    await expect(now.getByRole('link').first()).toHaveText(firing.rule_name)
    await expect(now.getByRole('link').first()).toHaveAttribute('href', /\/alerts\/1020/)
  }
  await openTab(page, 'Events')
  const events = page.getByRole('table', { name: 'Events' })
  await expect(events).toContainText(`Alert fired (critical): ${firing.rule_name} on ${name}`)
  await expect(events).toContainText(`Alert resolved: ${firing.rule_name} on ${name}`)
  const ends = events.getByRole('row').filter({ hasText: 'resolved' }).getByRole('link')
  await expect(ends).toHaveAttribute('href', /\/alerts\/77/)
  await openTab(page, 'Summary')
  const stack = page.getByRole('region', { name: 'Latency over time' })
  await stack.getByRole('button', { name: 'Show as table' }).click()
  await expect(stack.getByRole('columnheader', { name: 'Events' })).toBeVisible()
  await page.goto('/')
  const ranked = page
    .getByRole('table', { name: 'Datastores by excess outstanding I/O' })
    .getByRole('row')
    .filter({ hasText: name })
  await expect(ranked.getByRole('link', { name: /^1 alert, worst critical/ })).toBeVisible()
  for (const path of ['/wall/environment', `/wall/datastores-${id}`]) {
    await page.goto(path)
    await expect(page.getByRole('banner').or(page.locator('main > header'))).toContainText('1 alert firing:critical')
  }
  await asAlerts(page, [])
  await page.goto(`/datastores/${id}`)
  await expect(page.getByRole('region', { name: 'Active alerts' })).toContainText('None on this datastore')
})

test('a rule is refused at its field, tried on the last days, added and removed', async ({ page, watched }) => {
  watched.expected.push(/422/)
  // Seven days take ten seconds of a processor, one the seventh of it.
  await page.route(/\/alert-rules\/preview$/, (route) =>
    route.continue({ postData: { ...route.request().postDataJSON(), days: 1 } }),
  )
  await page.goto('/alerts/rules')
  await page.getByRole('button', { name: 'Add rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Kernel of tests')
  await expect(dialog.getByRole('textbox', { name: 'Key' })).toHaveValue('kernel_of_tests')
  await dialog.getByLabel('Minimum I/Os per minute').fill('3')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByLabel('Minimum I/Os per minute')).toBeFocused()
  await expect(dialog.getByText(/^give 30 or more/)).toBeVisible()
  await dialog.getByLabel('Minimum I/Os per minute').fill('30')
  await dialog.getByRole('button', { name: 'Preview last 7 days' }).click()
  const result = dialog.getByRole('status', { name: 'Preview result' })
  await expect(result).toContainText(/Preview: (no alerts|\d+ alerts?) on \d+ datastores/)
  await expect(result).toContainText('based on minutes')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('table', { name: 'Rules' }).getByRole('row').filter({ hasText: 'Kernel of tests' })
  await expect(row).toContainText('Kernel ≥ 1.00 ms (lower bound), for 5 min')
  await row.getByRole('button', { name: 'Remove Kernel of tests' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(row).toHaveCount(0)
})

test('a channel with a bad address says so, at its field and when it is tried', async ({ page, watched }) => {
  watched.expected.push(/422/)
  await page.goto('/alerts/channels')
  await page.getByRole('button', { name: 'Add channel' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type').selectOption('mattermost')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('nowhere')
  await dialog.getByLabel('Webhook URL').fill('not an address')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByLabel('Webhook URL')).toHaveAttribute('aria-invalid', 'true')
  await expect(dialog.getByLabel('Webhook URL')).toBeFocused()
  await dialog.getByLabel('Webhook URL').fill('https://127.0.0.1:9/hooks/x')
  await dialog.getByRole('button', { name: 'Send test notification' }).click()
  await expect(dialog.getByRole('status', { name: 'Test result' })).toContainText('private address')
})

test('a silence is made, is in force, and is ended', async ({ page }) => {
  // By the server's clock, which stands still: what is ended now must have begun before.
  await page.clock.setFixedTime(gavelNow())
  await page.route(/\/api\/v1\/silences$/, (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const from_at = new Date(gavelNow() - 3_600_000).toISOString()
    return route.continue({ postData: { ...route.request().postDataJSON(), from_at } })
  })
  await page.goto('/alerts/silences')
  await page.getByRole('button', { name: 'Add silence' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Silence', exact: true }).click()
  await expect(dialog.getByText('A reason is required.')).toBeVisible()
  await dialog.getByLabel('Pattern 1').fill('nothing-*')
  await dialog.getByLabel('Reason').fill('only a test')
  await dialog.getByLabel('Your name').fill('Kim')
  await dialog.getByRole('button', { name: 'Silence', exact: true }).click()
  const row = page.getByRole('table', { name: 'Silences' }).getByRole('row').filter({ hasText: 'only a test' })
  await expect(row).toContainText('active')
  await row.getByRole('button', { name: /^End silence/ }).click()
  await expect(row).toContainText('expired')
  await row.getByRole('button', { name: /^Remove/ }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(row).toHaveCount(0)
  // A window without a condition holds for everything: that is not added by accident.
  await page.getByRole('button', { name: 'Add maintenance window' }).first().click()
  await dialog.getByLabel('Name').fill('patches')
  await dialog.getByRole('button', { name: 'Remove condition 1' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog).toContainText('Confirm all alerts, or add a condition above.')
  await dialog.getByLabel('Silence all alerts').check()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const window = page
    .getByRole('table', { name: 'Maintenance windows' })
    .getByRole('row')
    .filter({ hasText: 'patches' })
  await expect(window).toContainText(/next \d+ \w+, \d\d:00.*all alerts/)
  await window.getByRole('button', { name: 'Remove patches' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(window).toHaveCount(0)
})

test('"Silence" in a message leads to a silence that is filled in', async ({ page, request }) => {
  await asAlarmed(page)
  await asOneAlert(page, await aJudged(request))
  await page.goto('/alerts/41?do=silence')
  const dialog = page.getByRole('dialog', { name: 'Add silence' })
  await expect(dialog.getByLabel('Pattern 1')).not.toHaveValue('')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page).not.toHaveURL(/do=/)
})

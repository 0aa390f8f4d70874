/** How often pages ask: once for all that they show first. */

import type { Page } from '@playwright/test'
import { still } from './accessible'
import { gavelNow } from './clock'
import { passed } from './living'
import { firstChart, firstId } from './scenes'
import { expect, test } from './watch'

const KINDS = ['datastores', 'vms', 'hosts', 'volumes', 'arrays'] as const

/** Paths and queries of the API's answers that a page asks for from now on; the live stream is no request of that kind. */
function askedBy(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (sent) => {
    const { pathname, search } = new URL(sent.url())
    if (pathname.startsWith('/api/v1/') && pathname !== '/api/v1/live') asked.push(pathname.slice(8) + search)
  })
  return asked
}

const LIVE_MS = 60_000
const MOST_LIVE = 30

/** Until it shows all, and has nothing left that it does as soon as it is idle. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await still(page)
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

const DAY_MS = 86_400_000

/**
 * While a busy machine loads the page, no answer grows old, and the stream tells of nothing: both are rightly asked for again. The
 * browser's clock is off: what a page asks for depends on the server's alone.
 */
async function withoutNews(page: Page): Promise<void> {
  await page.clock.setFixedTime(gavelNow() + DAY_MS)
  await page.route('**/api/v1/live', () => undefined)
}

test('the page of an object asks for its summary once, and for nothing twice', async ({ page, request }) => {
  await withoutNews(page)
  for (const kind of KINDS)
    await test.step(kind, async () => {
      const id = await firstId(request, kind)
      const asked = askedBy(page)
      await page.goto(`/${kind}/${id}`)
      await firstChart(page)
      await settled(page)
      expect(asked.length).toBe(new Set(asked).size)
      const own = asked.filter((path) => path.startsWith(`${kind}/${id}`))
      expect(own).toEqual([`${kind}/${id}/summary?trend_from=-1h&trend_to=now`])
      expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(8)
    })
})

test('lists, walls and pages of alerts, findings and sources ask for nothing twice', async ({ page }) => {
  await withoutNews(page)
  for (const path of ['/', '/datastores', '/wall/datastores', '/alerts', '/findings', '/sources'])
    await test.step(path, async () => {
      const asked = askedBy(page)
      await page.goto(path)
      await expect(page.locator('main')).toBeVisible()
      await settled(page)
      expect(asked.length).toBeGreaterThan(0)
      expect(asked.length, asked.join('\n')).toBe(new Set(asked).size)
    })
})

test('an address before now is read by the clock of the server, which the browser does not share', async ({ page }) => {
  await withoutNews(page)
  await page.goto('/datastores?from=-2h&to=-1h')
  await expect(page).toHaveURL(/from=\d{4}-/)
  const { to } = Object.fromEntries(new URL(page.url()).searchParams)
  expect(Math.abs(Date.parse(to ?? '') - (gavelNow() - 3_600_000))).toBeLessThan(2000)
})

test('open pages follow the live stream with at most 30 requests in a minute', { tag: '@living' }, async ({
  page,
  context,
  request,
}) => {
  const another = await context.newPage()
  const id = await firstId(request, 'datastores')
  await page.goto('/')
  await another.goto(`/datastores/${id}`)
  await firstChart(another)
  for (const open of [page, another]) await expect(open.locator('main [aria-busy="true"]')).toHaveCount(0)
  const [overview, datastore] = [askedBy(page), askedBy(another)]
  await passed(page, LIVE_MS)
  // They follow: each minute is attributed in several goes.
  for (const asked of [overview, datastore]) {
    expect(asked.filter((path) => /^(overview|datastores)/.test(path)).length).toBeGreaterThan(1)
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(MOST_LIVE)
  }
})

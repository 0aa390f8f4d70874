import type { Page } from '@playwright/test'
import {
  ADMIN_STATE,
  aDatastore,
  asApart,
  asEmpty,
  asFailing,
  asLoading,
  card,
  fail,
  fetched,
  firstChart,
  OUTAGE,
} from './scenes'
import { expect, test } from './watch'

const LISTS = ['Datastores', 'VMs', 'Hosts', 'Volumes', 'Arrays', 'Sources']

/** The other lists by the menu of the first: a page of its own for each would be told the same. */
async function onEveryList(page: Page, looks: (title: string) => Promise<void>) {
  await page.goto('/datastores')
  for (const title of LISTS)
    await test.step(title, async () => {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()
      await expect(page).toHaveURL(new RegExp(`/${title.toLowerCase()}$`))
      await looks(title)
    })
}

test('every list says what failed, why, and that it tries again', async ({ page, watched }) => {
  watched.expected.push(/503/)
  await asFailing(page)
  await onEveryList(page, async (title) => {
    await expect(page.getByText(new RegExp(`^Could not load the list of ${title}`, 'i')).first()).toBeVisible()
    await expect(page.getByRole('alert')).toContainText(/^No data from Gavel since \d\d:\d\d:\d\d UTC\./)
    await expect(page.getByRole('alert')).toContainText(OUTAGE)
    await expect(page.getByRole('alert')).toContainText('Retrying every 15 s.')
    // Of the page above, and of the list where it would stand; it is announced once.
    await expect(page.getByRole('button', { name: 'Retry now' })).toHaveCount(2)
    await expect(page.getByText(/^Failing since .*; retried every 15 s\.$/)).toBeVisible()
    await expect(page.getByRole('list', { name: 'Host vs. array latency, by color' })).toHaveCount(0)
  })
})

test('every list says why it is empty and what to do', async ({ page }) => {
  await asEmpty(page)
  await onEveryList(page, async () => {
    await expect(page.locator('main').getByText(/^No .* yet$/)).toBeVisible()
  })
})

test('every list shows a skeleton while it loads', async ({ page }) => {
  await asLoading(page)
  await onEveryList(page, async () => {
    await expect(page.locator('main [aria-busy="true"]').first()).toBeVisible()
  })
})

test.describe('signed in', () => {
  test.use({ storageState: ADMIN_STATE })

  test('a Gavel without a source begins with what it needs, and the form is one press away', async ({ page }) => {
    await asEmpty(page)
    await page.goto('/')
    await expect(page.getByText('No sources yet')).toBeVisible()
    await expect(page.getByText('Pure Storage FlashArray:')).toBeVisible()
    await page.getByRole('link', { name: 'Add source' }).click()
    await expect(page.getByRole('dialog', { name: 'Add source' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page).toHaveURL(/\/sources$/)
    // With one side only, what the other one takes.
    await page.route(/\/api\/v1\/sources$/, async (route) => {
      const answer = await fetched(route)
      const sources = (await answer.json()) as { kind: string }[]
      await route.fulfill({ response: answer, json: sources.filter(({ kind }) => kind === 'flasharray') })
    })
    await page.goto('/')
    const missing = card(page, 'Missing sources')
    await expect(missing).toContainText('VMware vCenter:')
    await expect(missing).not.toContainText('FlashArray:')
    await expect(page.locator('main').getByRole('link', { name: 'Volumes' })).toHaveAttribute('href', /^\/volumes/)
  })
})

test('a failure heals by itself and keeps what was there meanwhile', async ({ page, request, watched }) => {
  watched.expected.push(/503/)
  const { id, name } = await aDatastore(request)
  await asApart(page)
  await page.clock.install()
  await page.goto(`/datastores/${id}`)
  await firstChart(page)
  await page.route(/\/latency\?/, fail)
  // What was read a moment ago is not read again by coming back to the page.
  await page.clock.fastForward('01:00')
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByRole('status').filter({ hasText: OUTAGE }).first()).toBeVisible()
  await expect(page.locator('h1')).toHaveText(name)
  await expect(page.locator('canvas').first()).toBeVisible()
  await page.unroute(/\/latency\?/)
  await page.clock.runFor(16_000)
  await expect(page.getByRole('status').filter({ hasText: OUTAGE })).toHaveCount(0)
})

test('an outage is told once for the whole page, which keeps what was read, and ends by itself', async ({
  page,
  request,
  watched,
}) => {
  watched.expected.push(/503/)
  const { id, name } = await aDatastore(request)
  await page.clock.install()
  await page.goto(`/datastores/${id}`)
  await firstChart(page)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await asFailing(page)
  const note = page.getByRole('alert')
  // What was read a moment ago is not read again by coming back to the page.
  await page.clock.fastForward('01:00')
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await expect(note).toContainText(OUTAGE)
  await expect(note).toContainText(/Showing data up to \d\d:\d\d:\d\d\./)
  await expect(page.getByText(OUTAGE)).toHaveCount(1)
  await expect(page.locator('h1')).toHaveText(name)
  await expect(page.locator('canvas').first()).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('button', { name: 'Retry now' }).click()
  await expect(page.getByText(OUTAGE)).toHaveCount(0)
})

test('without the live stream the page asks by itself and says so', async ({ page, watched }) => {
  watched.expected.push(/ERR_FAILED|Failed to load resource/)
  await page.route('**/api/v1/live', (route) => route.abort())
  await page.clock.install()
  await page.goto('/datastores')
  await expect(page.getByText('Live updates interrupted since')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Every 15 s' })).toBeVisible()
  const asked = page.waitForResponse(/\/datastores\?/)
  await page.clock.runFor(16_000)
  await asked
})

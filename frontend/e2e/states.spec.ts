import { aDatastore, asEmpty, asFailing, asLoading, fail, OUTAGE } from './scenes'
import { expect, test } from './watch'

const PAGES = ['/datastores', '/vms', '/hosts', '/volumes', '/arrays', '/sources']

for (const path of PAGES) {
  test(`${path} says what failed, why, and that it tries again`, async ({ page, watched }) => {
    watched.expected.push(/503/)
    await asFailing(page)
    await page.goto(path)
    await expect(page.getByRole('alert')).toContainText('Could not load')
    await expect(page.getByRole('alert')).toContainText(OUTAGE)
    await expect(page.getByRole('button', { name: 'Try now' })).toBeVisible()
  })

  test(`${path} says why it is empty and what to do`, async ({ page }) => {
    await asEmpty(page)
    await page.goto(path)
    await expect(page.getByText(/is known yet|is polled yet/)).toBeVisible()
  })

  test(`${path} shows a skeleton while it loads`, async ({ page }) => {
    await asLoading(page)
    await page.goto(path)
    await expect(page.locator('[aria-busy="true"]').first()).toBeVisible()
  })
}

test('a failure heals by itself and keeps what was there meanwhile', async ({ page, request, watched }) => {
  watched.expected.push(/503/)
  const { id, name } = await aDatastore(request)
  await page.goto(`/datastores/${id}`)
  await expect(page.locator('canvas').first()).toBeVisible()
  await page.route(/\/series\?/, fail)
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByRole('status').filter({ hasText: OUTAGE }).first()).toBeVisible()
  await expect(page.locator('h1')).toHaveText(name)
  await expect(page.locator('canvas').first()).toBeVisible()
  await page.unroute(/\/series\?/)
  await expect(page.getByRole('status').filter({ hasText: OUTAGE })).toHaveCount(0, { timeout: 25_000 })
})

test('without the live stream the page asks by itself and says so', async ({ page, watched }) => {
  watched.expected.push(/ERR_FAILED|Failed to load resource/)
  await page.route('**/api/v1/live', (route) => route.abort())
  await page.goto('/datastores')
  await expect(page.getByText('Live updates are interrupted since')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Every 15 s' })).toBeVisible()
  await page.waitForResponse(/\/datastores\?/, { timeout: 25_000 })
})

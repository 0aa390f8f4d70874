/** The pictures of the documentation, of an hour as the lab plays it: `node e2e/run.mjs pictures`. */

import { expect, type Page, test } from '@playwright/test'
import { aJudged, overviewOf } from './scenes'

const FOLDER = '../docs/pictures'

async function take(page: Page, path: string, name: string) {
  await page.goto(path)
  await expect(page.locator('h1').first()).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
  // Charts and parts that load after the first ones.
  await page.waitForTimeout(2500)
  await page.screenshot({ path: `${FOLDER}/${name}.png` })
}

test.describe('dark', () => {
  test.use({ colorScheme: 'dark' })

  test('overview, VM, datastore, wall', async ({ page, request }) => {
    await take(page, '/', 'overview')
    await take(page, `/datastores/${(await aJudged(request)).id}`, 'datastore')
    await take(page, `/vms/${(await aJudged(request, 'vms')).id}`, 'vm')
    await take(page, '/wall/environment', 'wall')
  })

  test('an alert', async ({ page, request }) => {
    const answer = await request.get('/api/v1/alerts/history')
    const { items } = (await answer.json()) as { items: { id: number; subject: { kind: string } }[] }
    const alert = items.find(({ subject }) => subject.kind !== 'source')
    expect(alert).toBeDefined()
    await take(page, `/alerts/${alert?.id}`, 'alert')
  })
})

test.describe('light', () => {
  test.use({ colorScheme: 'light' })

  test('a datastore with a slow SAN', async ({ page, request }) => {
    const { items } = await overviewOf(request, 'datastores')
    const slow = items.find(({ layer }) => layer === 'san') ?? items[0]
    await take(page, `/datastores/${slow?.subject.id}`, 'datastore-light')
  })
})

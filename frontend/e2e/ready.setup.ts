/** Waits until both sides have spoken, and signs in once the way the first start invites to. */

import { expect, test } from '@playwright/test'
import { ADMIN_STATE, api, overviewOf, setupToken } from './scenes'

test('both sides deliver numbers', async ({ request }) => {
  await expect
    .poll(
      async () => {
        const page = await api(request, '/datastores?limit=500')
        const matched = page.items.filter((row) => row.match.matched)
        return (
          matched.length > 0 && matched.every((row) => row.newest.host_iops !== null && row.newest.array_iops !== null)
        )
      },
      { message: 'every matched datastore has numbers of both sides', timeout: 220_000, intervals: [2000] },
    )
    .toBe(true)
})

test('minutes are attributed', async ({ request }) => {
  const judged = async () => (await overviewOf(request)).items.filter(({ state }) => state === 'judged').length
  await expect
    .poll(judged, { message: 'datastores with a diagnosis', timeout: 220_000, intervals: [2000] })
    .toBeGreaterThan(5)
})

test('the printed address signs in and shows the admin token once', async ({ page, context }) => {
  await page.goto(`/sources#setup=${setupToken()}`)
  await expect(page.getByRole('dialog')).toContainText('shown only once')
  expect(page.url()).not.toContain('setup=')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add source' })).toBeEnabled()
  await context.storageState({ path: ADMIN_STATE })
})

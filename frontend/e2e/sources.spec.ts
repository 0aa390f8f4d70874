import type { Route } from '@playwright/test'
import { ADMIN_STATE, fetched } from './scenes'
import { expect, test } from './watch'

test('without signing in everything can be seen and nothing changed, and the page says how', async ({ page }) => {
  await page.goto('/sources')
  await expect(page.getByText('You may look at everything')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a source' })).toBeDisabled()
  await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(0)
})

test('a wrong token is refused with a reason', async ({ page, watched }) => {
  watched.expected.push(/40[13]/)
  await page.goto('/sources')
  await page.getByRole('button', { name: 'Sign in' }).first().click()
  await page.getByLabel('Token').fill('surely-not-a-token-of-this-gavel')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Not signed in' })).toBeVisible()
})

test('every source shows its state, lag, clock and streams', async ({ page }) => {
  await page.goto('/sources')
  const streams = page.getByRole('table', { name: /^Streams of/ })
  await expect(streams.first()).toBeVisible()
  for (const heading of ['Lag', 'Samples/s', 'Last run', 'Duration', 'Open gaps']) {
    await expect(streams.first().getByRole('columnheader', { name: heading })).toBeVisible()
  }
  await expect(page.getByText(/[+−]\d+\.\d\d s ± \d/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Gaps and runs' }).first().click()
  await expect(page.getByRole('table', { name: 'Newest runs' }).first()).toBeVisible()
})

async function arraysOnly(route: Route): Promise<void> {
  const answer = await fetched(route)
  const arrays = ((await answer.json()) as { kind: string }[]).filter(({ kind }) => kind === 'flasharray')
  await route.fulfill({ response: answer, json: arrays })
}

test('with one side only, the page says what is missing and where to get it', async ({ page }) => {
  await page.route(/\/api\/v1\/sources$/, arraysOnly)
  await page.goto('/sources')
  const missing = page.getByRole('region', { name: 'What is still missing' })
  await expect(missing).toContainText(/VMware vCenter: .*built-in role Read-only/)
  await expect(missing).not.toContainText('FlashArray:')
  await expect(page.getByRole('region', { name: 'Not matched' })).toHaveCount(0)
})

test.describe('signed in', () => {
  test.use({ storageState: ADMIN_STATE })

  test('the form names what is missing before anything is sent', async ({ page }) => {
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add a source' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByText('Name is needed.')).toBeVisible()
    await expect(dialog.getByText(/^Management address is needed\./)).toBeVisible()
    await expect(dialog.getByText(/^API token is needed\./)).toBeVisible()
  })

  test('what everybody needs comes first and says where to get it; the rest is folded away', async ({ page }) => {
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add a source' }).first().click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText(/API token of a user with the role readonly/)).toBeVisible()
    await expect(dialog.getByLabel('Poll interval')).toHaveCount(0)
    const certificate = dialog.getByRole('button', { name: 'Read its certificate' })
    await expect(certificate).toBeDisabled()
    await dialog.getByLabel('Management address').fill('127.0.0.1:9')
    await expect(certificate).toBeEnabled()
    const more = dialog.getByRole('button', { name: /^More settings/ })
    await dialog.getByLabel('Certificate fingerprint').focus()
    await page.keyboard.press('Tab')
    await expect(more).toBeFocused()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Poll interval').fill('5')
    await more.click()
    await expect(dialog.getByLabel('Poll interval')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByText('Poll interval (s) is at least 30.')).toBeVisible()
    await dialog.getByLabel('Kind').selectOption({ label: 'VMware vCenter' })
    await expect(dialog.getByText(/Have at hand:.*built-in role Read-only/)).toBeVisible()
  })

  test('what is missing is what is added next', async ({ page }) => {
    await page.route(/\/api\/v1\/sources$/, arraysOnly)
    await page.goto('/sources')
    const missing = page.getByRole('region', { name: 'What is still missing' })
    await missing.getByRole('button', { name: 'Add a source' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Kind')).toHaveValue('vcenter')
    await expect(dialog.getByLabel('User name')).toBeVisible()
  })

  test('a first visitor is told what to have at hand', async ({ page }) => {
    await page.route(/\/api\/v1\/sources$/, (route) => route.fulfill({ json: [] }))
    await page.goto('/sources')
    await expect(page.getByText('No source is polled yet')).toBeVisible()
    await expect(page.getByText(/pureadmin create --api-token/)).toBeVisible()
    await expect(page.getByText(/built-in role Read-only/)).toBeVisible()
  })

  test('a test of an address where nothing listens fails check by check, with what to do', async ({
    page,
    watched,
  }) => {
    watched.expected.push(/4\d\d|50\d/)
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add a source' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Management address').fill('127.0.0.1:9')
    await dialog.getByLabel('API token').fill('00000000-0000-4000-8000-000000000000')
    await dialog.getByRole('button', { name: 'Test' }).click()
    const result = dialog.getByRole('status', { name: 'Result of the test' })
    await expect(result).toContainText('The test failed', { timeout: 25_000 })
    await expect(result.getByText('failed', { exact: true }).first()).toBeInViewport()
    await dialog.getByLabel('Management address').fill('127.0.0.1:10')
    await dialog.getByRole('button', { name: 'Test' }).click()
    await expect(result).toContainText('127.0.0.1:10', { timeout: 25_000 })
    await expect(result.getByText('failed', { exact: true }).first()).toBeInViewport()
  })

  test('a stored secret never reaches the browser', async ({ page }) => {
    await page.goto('/sources')
    await page
      .getByRole('button', { name: /^Change or test/ })
      .first()
      .click()
    const secret = page.getByRole('dialog').locator('input[type="password"]').first()
    await expect(secret).toHaveValue('')
    await expect(secret).toHaveAttribute('placeholder', /stored/)
  })
})

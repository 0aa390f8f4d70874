import type { APIRequestContext, Page, Route } from '@playwright/test'
import { violationsInDarkAndLight } from './accessible'
import { ADMIN_STATE, card, fetched, get } from './scenes'
import { type LabSource, withSecondLab } from './secondLab'
import { asSick } from './sickScene'
import { expect, test } from './watch'

test('without signing in everything can be seen and nothing changed, and the page says how', async ({ page }) => {
  await page.goto('/sources')
  await expect(page.getByText('Read-only. To')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add source' })).toBeDisabled()
  await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(0)
})

test('a wrong token is refused with a reason', async ({ page, watched }) => {
  watched.expected.push(/40[13]/)
  await page.goto('/sources')
  await page.getByRole('button', { name: 'Sign in' }).first().click()
  await page.getByLabel('Token').fill('surely-not-a-token-of-this-gavel')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Sign-in failed' })).toBeVisible()
})

test('every source shows its state, lag, clock and streams', async ({ page }) => {
  await page.goto('/sources')
  const streams = page.getByRole('table', { name: /^Streams of/ })
  await expect(streams.first()).toBeVisible()
  for (const heading of ['Lag', 'New samples/s (5 min)', 'Last run', 'Duration', 'Samples (read/new)', 'Open gaps']) {
    await expect(streams.first().getByRole('columnheader', { name: heading })).toBeVisible()
  }
  await expect(streams.first()).toContainText(/\d+ read, \d+ new/)
  await expect(page.getByText(/[+−]\d+\.\d\d s ± [\d.]+ m?s \(\S+\) to .* to Gavel/).first()).toBeVisible()
  await expect(page.getByText(/[+−]\d+\.\d\d s ± \d/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Gaps and runs' }).first().click()
  await expect(page.getByRole('table', { name: 'Runs' }).first()).toBeVisible()
})

test('stored data lists every grain with the days that it is kept for, their setting and its size', async ({
  page,
}) => {
  await page.goto('/sources')
  const rows = page.getByRole('table', { name: 'Stored data' }).getByRole('row')
  await expect(rows).toHaveCount(6)
  for (const [grain, days, setting] of [
    ['Samples', 2, 'SAMPLES'],
    ['Minutes, disks and devices', 2, 'SAMPLES'],
    ['Minutes, other objects', 8, 'MINUTES'],
    ['5-minute sums', 30, '5_MINUTES'],
    ['Hourly sums', 400, 'HOURS'],
  ]) {
    const stored = new RegExp(`${days} daysGAVEL_KEEP_${setting} default[\\d.]+ [kMG]B`)
    await expect(rows.filter({ hasText: new RegExp(`^${grain}`) })).toContainText(stored)
  }
})

test('on a phone every stream says all that columns say', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/sources')
  const row = page
    .getByRole('table', { name: /^Streams of flasharray/ })
    .first()
    .getByRole('row')
    .nth(1)
  for (const words of [
    /^array volume/,
    /Interval30 s/,
    /Lag[\d.]+ (s|min)/,
    /Data through\d\d:/,
    /\d+ read, \d+ new/,
    /Open gapsnone/,
  ])
    await expect(row).toContainText(words)
})

test('what keeps numbers from being good stands first, with the words that fit it', async ({ page }) => {
  await asSick(page)
  await page.goto('/sources')
  await expect(page.getByText('4: 1 failing, 1 delayed, 1 waiting, 1 paused')).toBeVisible()
  const cards = page.locator('section:has(> header h2)')
  const [first, second] = [cards.nth(0), cards.nth(1)]
  await expect(first).toContainText(/no answer in time/)
  await expect(first).toContainText(/No data since .* Backfill pending/)
  await expect(first).toContainText('Last successful run')
  await expect(cards.nth(3)).toContainText('Paused: not polled.')
  await expect(second).toContainText('The queue settings of')
  await expect(second).toContainText('above the 5 s limit')
})

async function arraysOnly(route: Route): Promise<void> {
  const answer = await fetched(route)
  const arrays = ((await answer.json()) as { kind: string }[]).filter(({ kind }) => kind === 'flasharray')
  await route.fulfill({ response: answer, json: arrays })
}

test('with one side only, the page says what is missing and where to get it', async ({ page }) => {
  await page.route(/\/api\/v1\/sources$/, arraysOnly)
  await page.goto('/sources')
  const missing = page.getByRole('region', { name: 'Missing sources' })
  await expect(missing).toContainText(/VMware vCenter: .*built-in role Read-only/)
  await expect(missing).not.toContainText('FlashArray:')
  await expect(page.getByRole('region', { name: 'Unmatched' })).toHaveCount(0)
})

test.describe('signed in', () => {
  test.use({ storageState: ADMIN_STATE })

  test('the form names what is missing before anything is sent', async ({ page }) => {
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add source' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByText('Name is required.')).toBeVisible()
    await expect(dialog.getByText(/^Management address is required\./)).toBeVisible()
    await expect(dialog.getByText(/^API token is required\./)).toBeVisible()
  })

  test('what everybody needs comes first and says where to get it; the rest is folded away', async ({ page }) => {
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add source' }).first().click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText(/API token of a user with the role readonly/)).toBeVisible()
    await expect(dialog.getByLabel('Poll interval')).toHaveCount(0)
    const certificate = dialog.getByRole('button', { name: 'Read certificate' })
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
    await dialog.getByLabel('Type').selectOption({ label: 'VMware vCenter' })
    await expect(dialog.getByText(/Prerequisites:.*built-in role Read-only/)).toBeVisible()
  })

  test('what is missing is what is added next', async ({ page }) => {
    await page.route(/\/api\/v1\/sources$/, arraysOnly)
    await page.goto('/sources')
    const missing = page.getByRole('region', { name: 'Missing sources' })
    await missing.getByRole('button', { name: 'Add source' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Type')).toHaveValue('vcenter')
    await expect(dialog.getByLabel('User name')).toBeVisible()
  })

  test('a first visitor is told what to have at hand', async ({ page }) => {
    await page.route(/\/api\/v1\/sources$/, (route) => route.fulfill({ json: [] }))
    await page.goto('/sources')
    await expect(page.getByText('No sources yet')).toBeVisible()
    await expect(page.getByText(/pureadmin create --api-token/)).toBeVisible()
    await expect(page.getByText(/built-in role Read-only/)).toBeVisible()
  })

  test('a test of an address where nothing listens fails check by check, with what to do', async ({
    page,
    watched,
  }) => {
    watched.expected.push(/4\d\d|50\d/)
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add source' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Management address').fill('127.0.0.1:9')
    await dialog.getByLabel('API token').fill('00000000-0000-4000-8000-000000000000')
    await dialog.getByRole('button', { name: 'Test' }).click()
    const result = dialog.getByRole('status', { name: 'Test result' })
    await expect(result).toContainText('Test failed', { timeout: 25_000 })
    await expect(result.getByText('failed', { exact: true }).first()).toBeInViewport()
    await dialog.getByLabel('Management address').fill('127.0.0.1:10')
    await dialog.getByRole('button', { name: 'Test' }).click()
    await expect(result).toContainText('127.0.0.1:10', { timeout: 25_000 })
    await expect(result.getByText('failed', { exact: true }).first()).toBeInViewport()
  })

  test('a certificate that is not trusted is pinned and tested again in one press', { tag: '@living' }, async ({
    page,
    request,
  }) => {
    const listed = (await (await get(request, '/api/v1/sources')).json()) as Polled[]
    const array = listed.find(({ kind }) => kind === 'flasharray')?.settings as Polled['settings']
    await page.goto('/sources')
    await page.getByRole('button', { name: 'Add source' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type').selectOption({ label: 'Pure Storage FlashArray' })
    await dialog.getByLabel('Management address').fill(array.address)
    await dialog.getByLabel('API token').fill('00000000-0000-4000-8000-000000000000')
    await dialog.getByRole('button', { name: 'Test' }).press('Enter')
    const result = dialog.getByRole('status', { name: 'Test result' })
    await expect(result).toContainText('Test failed')
    await expect(result.getByText(array.fingerprint_sha256, { exact: true })).toBeVisible()
    await expect(result).toContainText('First compare the fingerprint')
    expect(await violationsInDarkAndLight(page)).toEqual([])
    await page.keyboard.press('Tab')
    await expect(result.getByRole('button', { name: 'Pin certificate and test again' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog.getByLabel('Certificate fingerprint')).toHaveValue(array.fingerprint_sha256)
    const check = (words: RegExp) => result.getByRole('listitem').filter({ hasText: words })
    await expect(check(/^okReachable, certificate trusted/)).toBeVisible()
    // What is still wrong is only the token.
    await expect(check(/^failedAPI token/)).toBeVisible()
    await expect(result.getByRole('button')).toHaveCount(0)
    await expect(result).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(dialog.getByRole('button', { name: 'Test' })).toBeFocused()
  })

  test('a stored secret never reaches the browser', async ({ page }) => {
    await page.goto('/sources')
    await page.getByRole('button', { name: /^Edit/ }).first().click()
    const secret = page.getByRole('dialog').locator('input[type="password"]').first()
    await expect(secret).toHaveValue('')
    await expect(secret).toHaveAttribute('placeholder', /stored/)
  })

  test('a newcomer adds an array in a minute, changes its name and removes it again', { tag: '@living' }, async ({
    page,
    request,
  }) => {
    await withSecondLab(async (sources) => {
      const array = sources.find(({ kind }) => kind === 'flasharray') as LabSource
      const [name, renamed] = ['array of the newcomer', 'fa-newcomer']
      const own = (called: string) => card(page, called)
      try {
        await page.goto('/sources')
        await page.getByRole('button', { name: 'Add source' }).first().click()
        const began_ms = performance.now()
        await fillIn(page, name, array)
        await page.getByRole('dialog').getByRole('button', { name: 'Test' }).click()
        await expectPreflight(page)
        await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await expect(own(name).getByText('Live', { exact: true })).toBeVisible()
        await expect(own(name)).toContainText(array.address)
        expect(performance.now() - began_ms, 'ms from the form to live numbers').toBeLessThan(60_000)
        await expectNumbers(page, request, name)

        await page.getByRole('button', { name: `Edit ${name}` }).click()
        await page.getByRole('dialog').getByLabel(/^Name/).fill(renamed)
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await expect(own(renamed).getByText('Live', { exact: true })).toBeVisible()
        await expect(own(name)).toHaveCount(0)

        await page.getByRole('button', { name: `Remove ${renamed}` }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Pause instead' }).click()
        await expect(own(renamed).getByText('Paused', { exact: true })).toBeVisible()
        await page.getByRole('button', { name: `Resume ${renamed}` }).click()
        await expect(own(renamed).getByText('Live', { exact: true })).toBeVisible()
        await page.getByRole('button', { name: `Remove ${renamed}` }).click()
        await expect(page.getByRole('dialog')).toContainText(/Its \d+ volumes.* are deleted.*cannot be undone/)
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await expect(own(renamed)).toHaveCount(0)
        expect(await sourceNamed(request, renamed)).toBeUndefined()
      } finally {
        // What a failure left would be polled after its lab has ended, under the tests that follow.
        for (const called of [name, renamed]) await removed(page, called)
      }
    })
  })
})

/** As somebody who has only the address and the token: the certificate is compared, then pinned. */
async function fillIn(page: Page, name: string, array: LabSource): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type').selectOption({ label: 'Pure Storage FlashArray' })
  await dialog.getByLabel(/^Name/).fill(name)
  await dialog.getByLabel('Management address').fill(array.address)
  await dialog.getByLabel('API token').fill(array.settings.api_token)
  await dialog.getByRole('button', { name: 'Read certificate' }).click()
  await expect(dialog).toContainText(array.settings.tls_sha256)
  await dialog.getByRole('button', { name: /^Pin compared certificate/ }).click()
}

/** What works, what is missing and what it costs. */
async function expectPreflight(page: Page): Promise<void> {
  const result = page.getByRole('dialog').getByRole('status', { name: 'Test result' })
  await expect(result).toContainText('Test passed')
  for (const check of ['API token', 'Array', 'Volumes', 'Recent 30 s samples', 'Clock', 'Cost'])
    await expect(result.getByRole('listitem').filter({ hasText: new RegExp(`(^|ok)${check}: `) })).toHaveCount(1)
  await expect(result).toContainText(/Every 30 s 1 call for \d+ volumes, about \d+(\.\d)? kB per read/)
}

interface Polled {
  kind: string
  settings: { address: string; fingerprint_sha256: string }
}

interface Listed {
  id: number
  name: string
  streams: { stream: string; last_samples: number | null; samples_per_s: number | null }[]
}

async function sourceNamed(request: APIRequestContext, name: string): Promise<Listed | undefined> {
  const sources = (await (await get(request, '/api/v1/sources')).json()) as Listed[]
  return sources.find((source) => source.name === name)
}

/** Its volumes are there, with numbers that it delivered. */
async function expectNumbers(page: Page, request: APIRequestContext, name: string): Promise<void> {
  await expect(card(page, name)).toContainText(/Inventory: \d+ volumes/)
  const stream = (await sourceNamed(request, name))?.streams.find(({ stream }) => stream === 'array_volume')
  expect(stream?.last_samples).toBeGreaterThan(0)
  expect(stream?.samples_per_s).toBeGreaterThan(0)
}

async function removed(page: Page, name: string): Promise<void> {
  const left = await sourceNamed(page.request, name)
  if (!left) return
  // A request beside the page brings the cookie but, unlike the page's own, no origin: without it writing is refused.
  const answer = await page.request.delete(`/api/v1/sources/${left.id}`, {
    headers: { Origin: new URL(page.url()).origin },
  })
  expect(answer.status(), `${name} removed`).toBe(204)
}

test.describe('imports', () => {
  test.use({ storageState: ADMIN_STATE })

  test('a capture is chosen, uploaded in parts, listed and removed', async ({ page }) => {
    await page.goto('/sources')
    const imports = card(page, 'Imports')
    await imports.scrollIntoViewIfNeeded()
    const text = `"(PDH-CSV 4.0) (UTC)(0)","\\\\esx-01\\Memory\\Free MBytes"\n${'"11/24/2026 08:00:00","1"\n'.repeat(60_000)}`
    await imports
      .locator('input[type=file]')
      .setInputFiles({ name: 'esx-01.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    const row = imports.getByRole('list', { name: 'Imports', exact: true }).getByRole('listitem')
    await expect(row).toContainText(/Waiting|Reading|Failed/)
    await expect(row).toContainText('esx-01.csv')
    await expect(imports.getByRole('list', { name: 'Uploads' })).toHaveCount(0)
    expect(await violationsInDarkAndLight(page)).toEqual([])
    await row.getByRole('button', { name: 'Remove esx-01.csv' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove import' })
    await expect(dialog).toContainText('esx-01.csv')
    expect(await violationsInDarkAndLight(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(row).toContainText('esx-01.csv')
    await row.getByRole('button', { name: 'Remove esx-01.csv' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(row).toHaveCount(0)
    await expect(imports).toContainText('No imports yet')
  })
})

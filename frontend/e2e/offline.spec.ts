/** Offline environments of uploaded files: made by keyboard, followed, opened and given up. */

import type { Page } from '@playwright/test'
import type { OfflineBuild, OfflineEnvironmentOut } from '../src/api/types'
import { violations, violationsInDarkAndLight } from './accessible'
import { ADMIN_STATE, card } from './scenes'
import { expect, test } from './watch'

const CAPTURE = { name: 'esx-04.csv', mimeType: 'text/csv', buffer: Buffer.from('top - 10:00:01 up 1 day\n') }

const BUILDS = '**/api/v1/offline-builds'
const ENVIRONMENTS = '**/api/v1/offline-environments'

async function offlineCard(page: Page) {
  await page.goto('/sources')
  const shown = card(page, 'Offline environments')
  await shown.scrollIntoViewIfNeeded()
  return shown
}

test('a reader sees offline environments and makes none', async ({ page }) => {
  const shown = await offlineCard(page)
  await expect(shown).toContainText('gavel offline add NAME FILE')
  await expect(shown.getByRole('button')).toHaveCount(0)
})

test.describe('uploads', () => {
  test.use({ storageState: ADMIN_STATE })

  test('files are chosen, uploaded and listed until a worker takes them, all of it by keyboard', async ({ page }) => {
    const shown = await offlineCard(page)
    const add = shown.getByRole('button', { name: 'New environment' })
    await add.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New offline environment' })
    const name = dialog.getByLabel('Name')
    await expect(name).toBeFocused()
    await page.keyboard.type('browser-test')
    await page.keyboard.press('Tab')
    await expect(dialog.getByLabel('esxtop captures')).toBeFocused()
    // A key may come before a busy browser opens windows for the page.
    await expect(async () => {
      const chooser = page.waitForEvent('filechooser', { timeout: 5000 })
      await page.keyboard.press('Enter')
      await (await chooser).setFiles(CAPTURE)
    }).toPass({ timeout: 30_000 })
    await expect(dialog).toContainText('esx-04.csv')
    expect(await violationsInDarkAndLight(page)).toEqual([])
    const make = dialog.getByRole('button', { name: 'Make environment' })
    await make.focus()
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('status').filter({ hasText: 'Waiting' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    const row = shown.getByRole('list', { name: 'Environments in progress' }).getByRole('listitem')
    await expect(row).toContainText(/browser-test.*Waiting/)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await violations(page)).toEqual([])
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, 'nothing but tables scrolls sideways').toBeLessThanOrEqual(390)
    await row.getByRole('button', { name: 'Remove browser-test' }).click()
    await page
      .getByRole('dialog', { name: 'Remove offline environment' })
      .getByRole('button', { name: 'Remove' })
      .click()
    await expect(row).toHaveCount(0)
  })

  test('an environment that is made is left for its pages from the window that made it', async ({ page }) => {
    const build: OfflineBuild = {
      name: 'site-b',
      state: 'making',
      created_at: '2026-11-25T08:50:00Z',
      step: 'Files are read.',
      error: null,
      files: [],
    }
    const made: OfflineEnvironmentOut = {
      name: 'site-b',
      from_at: '2026-11-24T07:30:00Z',
      to_at: '2026-11-24T08:30:00Z',
      made_at: '2026-11-25T08:51:00Z',
      size_bytes: 21_000_000,
      files: [],
      notes: [],
    }
    let isMade = false
    await page.route(BUILDS, (route) => route.fulfill({ json: isMade ? [] : [build] }))
    await page.route(ENVIRONMENTS, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 201, json: build })
        : route.fulfill({ json: isMade ? [made] : [] }),
    )
    await page.goto('/sources')
    const imports = card(page, 'Imports')
    await imports.scrollIntoViewIfNeeded()
    await imports.getByRole('button', { name: 'Open as offline environment' }).click()
    const dialog = page.getByRole('dialog', { name: 'New offline environment' })
    await dialog.getByLabel('Name').fill('site-b')
    await dialog.locator('input[type=file]').first().setInputFiles(CAPTURE)
    await dialog.getByRole('button', { name: 'Make environment' }).click()
    await expect(dialog.getByRole('status').filter({ hasText: 'Files are read.' })).toBeVisible()
    isMade = true
    const open = dialog.getByRole('link', { name: 'Open site-b' })
    await expect(open).toHaveAttribute('href', '/offline/site-b/')
    expect(await violationsInDarkAndLight(page)).toEqual([])
  })

  test('an imported capture of a time that is over is offered as an environment', async ({ page }) => {
    await page.route('**/api/v1/imports', async (route) => {
      const described = await (await route.fetch()).json()
      await route.fulfill({ json: [...described, APART] })
    })
    await page.goto('/sources')
    const imports = card(page, 'Imports')
    await imports.scrollIntoViewIfNeeded()
    await imports.getByRole('button', { name: 'Open old.csv.gz as offline environment' }).click()
    const dialog = page.getByRole('dialog', { name: 'New offline environment' })
    await expect(dialog).toContainText('From old.csv.gz, which is imported already')
    await expect(dialog.getByLabel('Name')).toBeFocused()
  })
})

const APART = {
  id: 99,
  format: 'esxtop',
  file_name: 'old.csv.gz',
  size_bytes: 3_000_000,
  received_bytes: 0,
  read_bytes: 3_000_000,
  state: 'ready',
  error: null,
  created_at: '2026-11-24T08:41:00Z',
  vm_id: null,
  vm: null,
  runs: 0,
  host_name: 'esx-99.example.com',
  host_id: 4,
  host: 'esx-99',
  starts_at: '2026-01-24T07:30:00Z',
  ends_at: '2026-01-24T08:30:00Z',
  offset_s: null,
  offset_error_s: null,
  offset_by: null,
  correlation: null,
  narrows: false,
  note: 'Samples of that time are no longer kept.',
  devices: 12,
  matched_devices: 11,
  suggests_offline: true,
}

import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { ADMIN_STATE, aDatastore, firstId } from './scenes'
import { expect, test } from './watch'

async function useTheme(page: Page, theme: string) {
  await page.addInitScript((choice) => localStorage.setItem('gavel.theme', choice), theme)
}

async function settled(page: Page) {
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.waitForTimeout(300)
}

async function violations(page: Page) {
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}

const EVERY_KIND = ['datastores', 'vms', 'hosts', 'volumes', 'arrays']
// High contrast shares every part with the dark theme and changes its inks only: the richest page tells.
const KINDS = { dark: EVERY_KIND, light: EVERY_KIND, contrast: ['datastores'] }

for (const theme of ['dark', 'light', 'contrast'] as const) {
  test.describe(`in the ${theme} theme`, () => {
    for (const kind of KINDS[theme]) {
      test(`the list of ${kind} and one of them are accessible`, async ({ page, request }) => {
        await useTheme(page, theme)
        await page.goto(`/${kind}`)
        await settled(page)
        expect(await violations(page)).toEqual([])
        await page.goto(
          `/${kind}/${kind === 'datastores' ? (await aDatastore(request)).id : await firstId(request, kind)}?open=raw`,
        )
        await settled(page)
        expect(await violations(page)).toEqual([])
      })
    }

    test('the overview and the walls are accessible', async ({ page, request }) => {
      await useTheme(page, theme)
      const array = `/wall/arrays-${await firstId(request, 'arrays')}`
      for (const path of ['/', '/wall/estate', array]) {
        await page.goto(path)
        await settled(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    if (theme === 'contrast') return

    test('the sources and their dialog are accessible', async ({ browser }) => {
      const context = await browser.newContext({ storageState: ADMIN_STATE })
      const page = await context.newPage()
      await useTheme(page, theme)
      await page.goto('/sources')
      await settled(page)
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Add a source' }).first().click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expect(page.getByRole('dialog').getByLabel('Name')).toBeVisible()
      expect(await violations(page)).toEqual([])
      await context.close()
    })

    test('help, time window and preferences are accessible', async ({ page }) => {
      await useTheme(page, theme)
      await page.goto('/datastores')
      await settled(page)
      await page.getByRole('button', { name: 'Last hour' }).click()
      await expect(page.getByText('Fixed window')).toBeVisible()
      expect(await violations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Theme, time zone and help' }).click()
      await expect(page.getByText('Times in')).toBeVisible()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Help and keys' }).click()
      await expect(page.getByRole('dialog', { name: 'Help', exact: true })).toBeVisible()
      expect(await violations(page)).toEqual([])
    })
  })
}

test('an unknown address and an unknown object say so', async ({ page, watched }) => {
  watched.expected.push(/404/)
  await page.goto('/no/such/page')
  await expect(page.getByText('There is no such page')).toBeVisible()
  await page.goto('/datastores/999999999')
  await expect(page.getByRole('alert')).toContainText('There is no such datastore')
})

test('everything comes from Gavel itself', async ({ page, request, baseURL }) => {
  const strangers: string[] = []
  page.on('request', (sent) => {
    const url = sent.url()
    if (!url.startsWith(`${baseURL}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) strangers.push(url)
  })
  const { id } = await aDatastore(request)
  await page.goto(`/datastores/${id}`)
  await settled(page)
  await expect(page.locator('canvas').first()).toBeVisible()
  expect(strangers).toEqual([])
})

/** Pictures of every page in every state, theme and size, to be looked at one by one: `make shots`. */

import type { Page } from '@playwright/test'
import { expect, test } from '@playwright/test'
import {
  ADMIN_STATE,
  aDatastore,
  asEmpty,
  asFailing,
  asFull,
  asLoading,
  asNamed,
  firstId,
  HOSTILE_NAMES,
} from './scenes'

const FOLDER = process.env.GAVEL_SHOTS_DIR ?? 'test-results/shots'
const SIZES = [
  [1440, 900],
  [1920, 1080],
  [390, 844],
] as const
const THEMES = ['dark', 'light'] as const

type Scene = { name: string; prepare: (page: Page) => Promise<void>; wait: 'data' | 'state' }

const SCENES: readonly Scene[] = [
  { name: 'as-is', prepare: async () => undefined, wait: 'data' },
  { name: 'full', prepare: (page) => asFull(page, 2000), wait: 'data' },
  { name: 'empty', prepare: asEmpty, wait: 'state' },
  { name: 'loading', prepare: asLoading, wait: 'state' },
  { name: 'error', prepare: asFailing, wait: 'state' },
]

async function shoot(page: Page, name: string, wait: Scene['wait'], whole = false) {
  if (wait === 'data') await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.waitForTimeout(700)
  if (whole) await stretch(page)
  await page.screenshot({ path: `${FOLDER}/${name}.png` })
}

/** Makes the window as tall as the page, since the page scrolls inside its frame. */
async function stretch(page: Page) {
  const { width } = page.viewportSize() ?? { width: 1440 }
  const height = await page.locator('main').evaluate((main) => main.scrollHeight + main.getBoundingClientRect().top)
  await page.setViewportSize({ width, height: Math.min(Math.ceil(height), 6000) })
  await page.waitForTimeout(500)
}

for (const theme of THEMES) {
  for (const [width, height] of SIZES) {
    test.describe(`${theme} ${width}`, () => {
      test.use({ viewport: { width, height }, colorScheme: theme, storageState: ADMIN_STATE })
      const suffix = `${width}-${theme}`

      for (const scene of SCENES) {
        test(`lists and sources, ${scene.name}`, async ({ page }) => {
          await scene.prepare(page)
          for (const path of ['datastores', 'vms', 'hosts', 'volumes', 'sources']) {
            await page.goto(`/${path}`)
            await shoot(
              page,
              `${path}-${scene.name}-${suffix}`,
              scene.wait,
              path === 'sources' && scene.wait === 'data',
            )
          }
        })
      }

      for (const kind of ['datastores', 'vms', 'hosts', 'volumes']) {
        test(`one of the ${kind}`, async ({ page, request }) => {
          const id = kind === 'datastores' ? (await aDatastore(request)).id : await firstId(request, kind)
          for (const scene of SCENES.filter(({ name }) => name !== 'full')) {
            await page.unrouteAll({ behavior: 'ignoreErrors' })
            await scene.prepare(page)
            await page.goto(`/${kind}/${id}`)
            await shoot(page, `${kind}-one-${scene.name}-${suffix}`, scene.wait, scene.wait === 'data')
            await page.setViewportSize({ width, height })
          }
          await page.unrouteAll({ behavior: 'ignoreErrors' })
          await asNamed(page, `/${kind}/${id}`, HOSTILE_NAMES[0] ?? '')
          await page.goto(`/${kind}/${id}`)
          await shoot(page, `${kind}-one-long-name-${suffix}`, 'data')
        })
      }

      test('dialogs', async ({ page }) => {
        await page.goto('/sources')
        await page.getByRole('button', { name: 'Add a source' }).first().click()
        await expect(page.getByLabel('Name')).toBeVisible()
        await shoot(page, `sources-add-${suffix}`, 'data')
        await page.keyboard.press('Escape')
        await page.goto('/datastores')
        await page.getByRole('button', { name: 'Last hour' }).click()
        await expect(page.getByText('Fixed window')).toBeVisible()
        await shoot(page, `window-${suffix}`, 'data')
      })
    })
  }
}

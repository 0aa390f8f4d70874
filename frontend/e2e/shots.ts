/** Pictures of every page in every state, theme and size, to be looked at one by one: `make shots`. */

import type { APIRequestContext, Page } from '@playwright/test'
import { expect, test } from '@playwright/test'
import { ALERT_PAGES, asAlarmed, asLongAlarmed, asOneAlert } from './alertScenes'
import { asFullEnvironment, asLargeArray, asLargeHost, asManySources, asSharedDatastore } from './fullScenes'
import {
  ADMIN_STATE,
  aDatastore,
  aJudged,
  asEmpty,
  asFailing,
  asFull,
  asLoading,
  asLongNamed,
  asUnjudged,
  card,
  firstId,
  OUTAGE,
} from './scenes'
import { asSick } from './sickScene'

const FOLDER = process.env.GAVEL_SHOTS_DIR ?? 'test-results/shots'
const SIZES = [
  [1440, 900],
  [1920, 1080],
  [390, 844],
] as const
const THEMES = ['dark', 'light'] as const
const SETTLE_MS = 350
const MOST_LOOKS = 4
/** Taller than any page may be on a phone; a desk's are cut where nobody scrolls to. */
const MOST_PX = { phone: 16_000, desk: 6000 }

interface Scene {
  name: string
  prepare: (page: Page) => Promise<void>
  /** What is there when the scene is set: numbers, or the words that stand in their place. */
  wait: 'data' | 'state'
}

const AS_IS: Scene = { name: 'as-is', prepare: async () => undefined, wait: 'data' }
const STATES: readonly Scene[] = [
  AS_IS,
  { name: 'empty', prepare: asEmpty, wait: 'data' },
  { name: 'loading', prepare: asLoading, wait: 'state' },
  { name: 'error', prepare: asFailing, wait: 'state' },
  { name: 'long-names', prepare: asLongNamed, wait: 'data' },
]
const UNJUDGED: Scene = { name: 'unjudged', prepare: asUnjudged, wait: 'data' }
const FULL: Scene = { name: 'full', prepare: (page) => asFull(page, 2000), wait: 'data' }
const FULL_ENVIRONMENT: Scene = { name: 'full', prepare: (page) => asFullEnvironment(page, 2000), wait: 'data' }
const MANY_SOURCES: Scene = { name: 'full', prepare: asManySources, wait: 'data' }
/** Sources are there, and of the window nothing is known: an object of a Gavel without sources would be none. */
const ONE_STATES = STATES.map((scene) => (scene.name === 'empty' ? { ...scene, prepare: asUnjudged } : scene))
const FULL_ONES: Partial<Record<(typeof LISTS)[number], Scene>> = {
  datastores: { name: 'full', prepare: asSharedDatastore, wait: 'data' },
  hosts: { name: 'full', prepare: asLargeHost, wait: 'data' },
  arrays: { name: 'full', prepare: asLargeArray, wait: 'data' },
}
const SICK: Scene = { name: 'sick', prepare: asSick, wait: 'data' }
const ALARMED: Scene = { name: 'full', prepare: (page) => asAlarmed(page), wait: 'data' }
const ALERT_STATES = STATES.map((scene) => (scene.name === 'long-names' ? { ...scene, prepare: asLongAlarmed } : scene))
const MISSING: Scene = { name: 'missing', prepare: async () => undefined, wait: 'state' }

const LISTS = ['datastores', 'vms', 'hosts', 'volumes', 'arrays'] as const

/** The whole page, however long: the window is made as tall as what scrolls inside the frame. `last`: what another size undoes. */
async function shoot(
  page: Page,
  name: string,
  { wait }: Pick<Scene, 'wait'> = AS_IS,
  last: () => Promise<void> = async () => undefined,
) {
  const size = page.viewportSize() ?? { width: 1440, height: 900 }
  if (wait === 'data') await begun(page)
  const most_px = size.width < 700 ? MOST_PX.phone : MOST_PX.desk
  let height = size.height
  for (let look = 0; look < MOST_LOOKS; look++) {
    if (wait === 'data') await whole(page)
    await page.waitForTimeout(SETTLE_MS)
    const needed = await page.locator('main').evaluate((main) => main.scrollHeight + main.getBoundingClientRect().top)
    if (needed <= height + 1 || height === most_px) break
    // What was far below is near then, asks for its numbers, and may grow with them.
    height = Math.min(Math.ceil(needed), most_px)
    await page.setViewportSize({ width: size.width, height })
  }
  await last()
  await page.screenshot({ path: `${FOLDER}/${name}.png` })
  await page.setViewportSize(size)
}

/** Until the page itself is there: before it is, nothing is being read either. */
async function begun(page: Page) {
  await expect(page.locator('h1').first()).toBeVisible()
  // In one look: a list that turns out to be empty or broken takes its table away.
  await page.waitForFunction(() => {
    const table = document.querySelector('table[aria-rowcount]')
    return !table || table.ariaRowCount === '1' || table.querySelector('tbody tr') !== null
  })
}

/** Until nothing is being read and every chart is painted. */
async function whole(page: Page) {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-testid="chart"]')]
      .filter((chart) => {
        const { top, bottom } = chart.getBoundingClientRect()
        return bottom > 0 && top < innerHeight
      })
      .every((chart) => {
        const canvas = chart.querySelector('canvas')
        const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data
        return pixels?.some((value) => value !== 0)
      }),
  )
}

async function shootScenes(page: Page, path: string, name: string, suffix: string, scenes: readonly Scene[]) {
  for (const scene of scenes) {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await scene.prepare(page)
    await page.goto(path)
    await shoot(page, `${name}-${scene.name}-${suffix}`, scene)
  }
}

async function oneOf(request: APIRequestContext, kind: string): Promise<number> {
  return kind === 'datastores' ? (await aDatastore(request)).id : await firstId(request, kind)
}

// Pages still ask while a test ends: their answers are of no interest any more.
test.afterEach(({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }))

for (const theme of THEMES) {
  for (const [width, height] of SIZES) {
    const suffix = `${width}-${theme}`
    test.describe(suffix, () => {
      test.use({ viewport: { width, height }, colorScheme: theme, hasTouch: width < 700, storageState: ADMIN_STATE })

      for (const kind of LISTS) {
        test(`list of ${kind}`, async ({ page }) => {
          await shootScenes(page, `/${kind}`, kind, suffix, [...STATES, FULL])
        })

        test(`one of the ${kind}`, async ({ page, request }) => {
          await shootScenes(page, `/${kind}/${await oneOf(request, kind)}`, `${kind}-one`, suffix, [
            ...ONE_STATES,
            ...[FULL_ONES[kind] ?? []].flat(),
          ])
          if (kind === 'datastores')
            await shootScenes(page, `/${kind}/${await oneOf(request, kind)}?tab=counters`, `${kind}-one-raw`, suffix, [
              AS_IS,
            ])
          await shootScenes(page, `/${kind}/999999`, `${kind}-one`, suffix, [MISSING])
        })
      }

      test('overview and wall', async ({ page }) => {
        await shootScenes(page, '/', 'overview', suffix, [...STATES, UNJUDGED, FULL_ENVIRONMENT])
        await shootScenes(page, '/wall/environment', 'wall', suffix, [...STATES, FULL_ENVIRONMENT])
      })

      test('alerts', async ({ page, request }) => {
        for (const path of ALERT_PAGES)
          await shootScenes(page, path, path.slice(1).replace('/', '-'), suffix, [...ALERT_STATES, ALARMED])
        const judged = await aJudged(request)
        const one: Scene = { name: 'full', prepare: (on) => asOneAlert(on, judged), wait: 'data' }
        await shootScenes(page, '/alerts/41', 'alerts-one', suffix, [one])
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await shootScenes(page, '/alerts/999999', 'alerts-one', suffix, [MISSING])
      })

      test('dialogs of alerts', async ({ page }) => {
        for (const [path, button] of [
          ['/alerts/rules', 'Add rule'],
          ['/alerts/rules', 'Import'],
          ['/alerts/silences', 'Add silence'],
          ['/alerts/silences', 'Add maintenance window'],
          ['/alerts/channels', 'Add channel'],
        ] as const) {
          await page.goto(path)
          await page.getByRole('button', { name: button }).first().click()
          await expect(page.getByRole('dialog')).toBeVisible()
          await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
          await shoot(page, `${path.slice(8)}-${button.toLowerCase().replaceAll(' ', '-')}-${suffix}`)
        }
      })

      test('sources', async ({ page }) => {
        await shootScenes(page, '/sources', 'sources', suffix, [...STATES, SICK, MANY_SOURCES])
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await page.goto('/sources')
        await page
          .getByRole('button', { name: /Gaps and runs/ })
          .first()
          .click()
        await shoot(page, `sources-history-${suffix}`)
      })

      test('dialogs of sources', async ({ page }) => {
        await page.goto('/sources')
        await page.getByRole('button', { name: 'Add source' }).first().click()
        await expect(page.getByRole('dialog').getByLabel('Name')).toBeVisible()
        await shoot(page, `sources-add-${suffix}`)
        await page.getByRole('button', { name: 'Add', exact: true }).click()
        await shoot(page, `sources-add-refused-${suffix}`)
        await page.keyboard.press('Escape')
        await page
          .getByRole('button', { name: /^Edit / })
          .first()
          .click()
        await page.getByRole('button', { name: 'Test', exact: true }).click()
        await expect(page.getByRole('status', { name: 'Test result' })).toContainText(/Test (passed|failed)/)
        await shoot(page, `sources-edit-tested-${suffix}`)
        await page.keyboard.press('Escape')
        await page
          .getByRole('button', { name: /^Remove/ })
          .first()
          .click()
        await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible()
        await shoot(page, `sources-remove-${suffix}`)
      })

      test('frame: window, numbers, refresh that fails, no such page', async ({ page, request }) => {
        await page.goto('/no-such-page')
        await shoot(page, `not-found-${suffix}`)
        await page.goto('/datastores')
        await page.getByRole('button', { name: 'Live · last 5 min' }).click()
        await expect(page.getByText('Fixed window')).toBeVisible()
        await shoot(page, `window-${suffix}`)
        await page.goto(`/datastores/${(await aDatastore(request)).id}`)
        // What is far below is drawn when it comes near.
        await page.getByRole('heading', { name: 'Latency over time' }).scrollIntoViewIfNeeded()
        await expect(page.locator('canvas').first()).toBeVisible()
        await shoot(page, `datastores-one-cursor-${suffix}`, AS_IS, async () => {
          await card(page, 'Latency over time')
            .locator('canvas')
            .hover({ position: { x: 250, y: 130 } })
          await page.waitForTimeout(SETTLE_MS)
        })
        await asFailing(page)
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
        await expect(page.getByRole('alert').filter({ hasText: OUTAGE })).toBeVisible()
        await shoot(page, `datastores-one-stale-${suffix}`)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await expect(page.getByRole('alert').filter({ hasText: OUTAGE })).toHaveCount(0, { timeout: 25_000 })
        await page.getByRole('button', { name: 'Show as table' }).first().click()
        await shoot(page, `datastores-one-numbers-${suffix}`)
      })
    })
  }
}

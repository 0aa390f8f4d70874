/** Every page of an API whose names all hold markup: it is shown as text, nothing of it becomes an element, runs or is loaded. */

import type { APIRequestContext, Page } from '@playwright/test'
import { settled, still } from './accessible'
import { api } from './scenes'
import { expect, test } from './watch'

/** Stands in every name of the database under test. */
const MARK = /zq/
/** Elements that the pages themselves never have, and pictures that are not their own. */
const MADE =
  'img:not([src="/favicon.svg"]), iframe, object, embed, body script, body style:not([data-mantine-styles]), main base, meta[http-equiv="refresh" i], [onerror], [onload], [onmouseover], [onfocus], a[href^="javascript:" i], a[href^="data:" i], math, mglyph'

const KINDS = ['datastores', 'vms', 'hosts', 'volumes', 'arrays'] as const

const TABS = ['path', 'counters', 'findings', 'events'] as const
const EVERY_TAB = Boolean(process.env.GAVEL_E2E_EVERY_TAB)

/** The summary of one object of each kind and each tab once; in a whole run each tab of two objects of each kind. */
async function objects(request: APIRequestContext): Promise<string[]> {
  const found: string[] = []
  for (const [n, kind] of KINDS.entries()) {
    const { items } = await api(request, `/${kind}?limit=500`)
    const tabs = ['summary', ...(EVERY_TAB ? TABS : TABS.slice(n, n + 1))]
    // Two of each: neighbors have names of different kinds.
    for (const tab of tabs)
      found.push(...items.slice(0, EVERY_TAB ? 2 : 1).map(({ id }) => `/${kind}/${id}?tab=${tab}&last=1h`))
  }
  return found
}

async function alertPages(request: APIRequestContext): Promise<string[]> {
  const answer = await request.get('/api/v1/alerts/history?from=-2d&to=now')
  const { items } = (await answer.json()) as { items: { id: number }[] }
  expect(items.length).toBeGreaterThan(0)
  return items.slice(0, 1).map(({ id }) => `/alerts/${id}`)
}

async function inert(page: Page, where: string) {
  const made = await page.locator(MADE).evaluateAll((nodes) => nodes.map((node) => node.outerHTML.slice(0, 200)))
  expect(made, `elements made of names: ${where}`).toEqual([])
}

async function scrolled(page: Page) {
  // What is below is drawn when it comes into sight.
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  for (let at = 0; at < height; at += 800) {
    await page.mouse.wheel(0, 800)
    await still(page)
  }
}

/** The boxes that charts draw beside the cursor hold names, too. */
async function hovered(page: Page) {
  for (const canvas of await page.locator('main canvas').all()) {
    const box = await canvas.boundingBox()
    if (box === null || box.y < 0 || box.y > 800) continue
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.move(box.x + box.width / 2 + 4, box.y + box.height / 2 + 3)
    await still(page)
  }
}

test('names with markup are text on every page', async ({ page, request }) => {
  test.setTimeout(1_200_000)
  const lists = ['/', ...KINDS.map((kind) => `/${kind}`), '/sources', '/alerts', '/alerts/rules', '/wall/environment']
  const others = ['/alerts/channels', '/alerts/silences']
  let shown = 0
  for (const path of [...lists, ...others, ...(await objects(request)), ...(await alertPages(request))]) {
    await test.step(path, async () => {
      await page.goto(path)
      await settled(page)
      await scrolled(page)
      await hovered(page)
      if (!others.includes(path)) await expect(page.locator('body').getByText(MARK).first(), path).toBeAttached()
      await inert(page, path)
      shown++
    })
  }
  expect(shown).toBeGreaterThanOrEqual(20)
})

test('names with markup are text in what a search finds', async ({ page }) => {
  await page.goto('/sources')
  await settled(page)
  await page.keyboard.press('/')
  await page.keyboard.type('zq')
  await expect(page.getByRole('option').filter({ hasText: MARK }).first()).toBeVisible()
  await inert(page, 'search')
})

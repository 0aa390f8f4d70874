import type { Locator, Page } from '@playwright/test'
import { aJudged, asFull, asHostilelyNamed, card, HOSTILE_NAMES, hostileName, openTab } from './scenes'
import { expect, test } from './watch'

test('hostile names are text in the list, whole on focus', async ({ page }) => {
  await asFull(page, 2000)
  await page.goto('/datastores')
  const rows = page.getByRole('table', { name: 'Datastores' }).getByRole('row')
  await expect(rows.nth(1)).toBeVisible()
  await expect(page.locator('main img, main script')).toHaveCount(0)
  const longest = page.getByRole('link').filter({ hasText: 'aaaaaaaaaaaaaaaaaaaaaaaa' }).first()
  await longest.focus()
  await expect(page.getByRole('tooltip')).toHaveText(HOSTILE_NAMES[0] ?? '')
})

test('rows have one height whatever their names', async ({ page }) => {
  await asFull(page, 2000)
  await page.goto('/datastores')
  const rows = page.getByRole('table', { name: 'Datastores' }).locator('tbody tr:has(a)')
  await expect(rows.first()).toBeVisible()
  const heights = await rows.evaluateAll((nodes) => [
    ...new Set(nodes.map((node) => Math.round(node.getBoundingClientRect().height))),
  ])
  expect(heights).toHaveLength(1)
})

test('two thousand datastores scroll to the last one without loading them all', async ({ page }) => {
  const offsets: string[] = []
  page.on('request', (sent) => {
    const offset = new URL(sent.url()).searchParams.get('offset')
    if (sent.url().includes('/datastores?') && offset) offsets.push(offset)
  })
  await asFull(page, 2000)
  await page.goto('/datastores')
  const table = page.getByRole('table', { name: 'Datastores' })
  await expect(table).toHaveAttribute('aria-rowcount', '2001')
  await page
    .getByRole('region', { name: 'Datastores, scrolls' })
    .evaluate((region) => region.scrollTo(0, region.scrollHeight))
  await expect(table.locator('tr[aria-rowindex="2001"] a').first()).toBeVisible()
  expect(offsets).toContain('1900')
  expect(new Set(offsets).size).toBeLessThan(6)
  expect(await table.locator('tbody tr').count()).toBeLessThan(80)
})

/** Markup in a name that became elements. The pages themselves have one picture, the logo, and no script below their head. */
const MADE = 'img:not([src="/favicon.svg"]), iframe, object, body script, b:has-text("gpj.exe"), [onerror], [onload]'

async function inert(page: Page, where: string) {
  const made = await page.locator(MADE).evaluateAll((nodes) => nodes.map((node) => node.outerHTML.slice(0, 200)))
  expect(made, `elements made of names: ${where}`).toEqual([])
  const overhang = await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)
  expect(overhang, `${where} is wider than its frame`).toBeLessThanOrEqual(0)
}

/** The box beside the cursor says the name; the chart may still be painting. */
async function hovered(page: Page, canvas: Locator, at: { x: number; y: number }, says: RegExp) {
  await canvas.scrollIntoViewIfNeeded()
  await expect(async () => {
    await canvas.hover({ position: at })
    await canvas.hover({ position: { x: at.x + 3, y: at.y + 2 } })
    await expect(page.getByText(says).last()).toBeVisible({ timeout: 2000 })
  }).toPass()
}

test('names with markup, emoji, right-to-left marks and 200 characters are text everywhere', async ({
  page,
  request,
}) => {
  const judged = await aJudged(request)
  await asHostilelyNamed(page)
  for (const [kind, thing] of [
    ['datastores', judged],
    ['vms', await aJudged(request, 'vms')],
    ['hosts', await aJudged(request, 'hosts')],
    ['volumes', await aJudged(request, 'volumes')],
    ['arrays', await aJudged(request, 'arrays')],
  ] as const)
    await test.step(kind, async () => {
      await page.goto(`/${kind}/${thing.id}`)
      // What turns letters around is shown as a sign that it was there.
      await expect(page.locator('h1')).toHaveText(hostileName(thing.name).replace('\u202E', '\uFFFD'))
      await inert(page, `${kind}, summary`)
      await openTab(page, 'Counters')
      const evidence = card(page, 'Evidence')
      await evidence.scrollIntoViewIfNeeded()
      await expect(evidence.getByText('<img src=x').first()).toBeVisible()
      await inert(page, `${kind}, counters`)
      await openTab(page, 'Path')
      if (kind === 'datastores' || kind === 'vms') {
        const hops = page.getByRole('list', { name: 'Hops from VM to array' })
        await hops.scrollIntoViewIfNeeded()
        await expect(hops.getByText('<img src=x').first()).toBeVisible()
      }
      await inert(page, `${kind}, path`)
    })
  await test.step('search', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type(judged.name)
    await expect(page.getByRole('option').first()).toContainText('<img src=x')
    await inert(page, 'search')
    await page.keyboard.press('Escape')
  })
  await test.step('sources', async () => {
    await page.goto('/sources')
    await expect(page.locator('main').getByText('<img src=x').first()).toBeVisible()
    await inert(page, 'sources')
  })
  await test.step('the box of a tile', async () => {
    await page.goto('/')
    await card(page, 'Outstanding I/O by datastore').scrollIntoViewIfNeeded()
    const tiles = card(page, 'Outstanding I/O by datastore').locator('canvas')
    await expect(tiles).toBeVisible()
    const before = await page.getByText('<img src=x').count()
    await hovered(page, tiles, { x: 30, y: 60 }, /<img src=x/)
    await expect.poll(() => page.getByText('<img src=x').count()).toBeGreaterThan(before)
    await inert(page, 'overview')
  })
})

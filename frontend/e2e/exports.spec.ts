import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { gavelNow } from './clock'
import { aJudged, card } from './scenes'
import { expect, test } from './watch'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** What a number is in, as heads of spreadsheets say it: "(µs)", "_us". */
const UNIT = /\((µs|ops\/s|I\/Os|bytes\/s|count|%|1)\)|_us\b/

async function saved(page: Page, chart: Locator, button: string): Promise<Buffer> {
  const download = page.waitForEvent('download')
  await chart.getByRole('button', { name: button }).click()
  return await readFile(await (await download).path())
}

const pngOf = (page: Page, chart: Locator) => saved(page, chart, 'Save as PNG')
const csvOf = async (page: Page, chart: Locator) =>
  (await saved(page, chart, 'Save as CSV')).toString('utf8').split('\r\n')

async function drawn(chart: Locator) {
  // What was waited for takes the place of what was scrolled to.
  await expect(async () => {
    await chart.scrollIntoViewIfNeeded({ timeout: 2000 })
    await expect(chart.locator('canvas')).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(chart.locator('[aria-busy="true"]')).toHaveCount(0)
}

async function isPicture(page: Page, chart: Locator) {
  await drawn(chart)
  const picture = await pngOf(page, chart)
  expect(picture.subarray(0, PNG.length)).toEqual(PNG)
  expect(picture.length).toBeGreaterThan(10_000)
}

async function isSpreadsheet(page: Page, chart: Locator, head: RegExp) {
  await drawn(chart)
  const [first = '', ...rows] = await csvOf(page, chart)
  expect(first).toMatch(head)
  expect(first).toMatch(UNIT)
  expect(rows.filter((row) => /\d/.test(row)).length).toBeGreaterThan(2)
}

test('every chart is also a table, a spreadsheet with units and a picture', async ({ page, request }) => {
  const { id } = await aJudged(request)
  await page.goto(`/datastores/${id}`)
  const [waterfall, stack] = [card(page, 'Latency breakdown'), card(page, 'Latency over time')]
  await isPicture(page, waterfall)
  await isSpreadsheet(page, waterfall, /^direction,segment,us,/)
  await isPicture(page, stack)
  await isSpreadsheet(page, stack, /^time \(UTC\),.*Total/)
  await stack.getByRole('button', { name: 'Show as table' }).click()
  const numbers = page.getByRole('table', { name: /^Counters: latency of/ })
  await expect(numbers.getByRole('columnheader', { name: /Read · Total/ })).toBeVisible()
  expect(await numbers.getByRole('row').count()).toBeGreaterThan(3)
  // Beside the table, too.
  expect((await pngOf(page, stack)).length).toBeGreaterThan(10_000)
  await page.goto('/')
  await isPicture(page, card(page, 'Outstanding I/O by datastore'))
  await isSpreadsheet(page, card(page, 'Outstanding I/O over time'), /^time \(UTC\),/)
})

const iso = (at_ms: number) => `${new Date(at_ms).toISOString().slice(0, 16)}:00Z`

test('the link of a chart shows somebody else the same window, lines and numbers, as they are when it is copied', async ({
  page,
  request,
  context,
  browser,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { id } = await aJudged(request)
  const [from, to] = [iso(gavelNow() - 30 * 60_000), iso(gavelNow() - 6 * 60_000)]
  await page.goto(`/datastores/${id}?from=${from}&to=${to}&stack=share&span=window`)
  await drawn(card(page, 'Latency breakdown'))
  const stack = card(page, 'Latency over time')
  await drawn(stack)
  await stack.getByRole('button', { name: 'Array service', exact: true }).click()
  await expect(page).toHaveURL(/hide=array_service/)
  await card(page, 'Latency breakdown').getByRole('button', { name: 'Copy link to this window' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  // The diagnosis's window, within the page's.
  expect(new URL(link).searchParams.get('from')).toBe(from)
  expect(new URL(link).searchParams.get('to')).toBe(to)

  const theirs = await (await browser.newContext({ viewport: page.viewportSize() })).newPage()
  await theirs.goto(link)
  await expect(theirs.getByRole('button', { name: 'Paused' })).toBeVisible()
  const same = card(theirs, 'Latency over time')
  await drawn(same)
  await expect(same.getByRole('button', { name: '100 %' })).toHaveAttribute('aria-pressed', 'true')
  const service = same.getByRole('button', { name: 'Array service', exact: true })
  await expect(service).toHaveAttribute('aria-pressed', 'false')
  expect(await csvOf(theirs, same)).toEqual(await csvOf(page, stack))
  const [mine, waterfall] = [card(page, 'Latency breakdown'), card(theirs, 'Latency breakdown')]
  await drawn(waterfall)
  expect(await csvOf(theirs, waterfall)).toEqual(await csvOf(page, mine))
  await theirs.context().close()
})

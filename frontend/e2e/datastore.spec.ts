import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { aDatastore } from './scenes'
import { expect, test } from './watch'

async function openDatastore(page: Page, request: Parameters<typeof aDatastore>[0], search = '') {
  const datastore = await aDatastore(request)
  await page.goto(`/datastores/${datastore.id}${search}`)
  await expect(page.locator('canvas').first()).toBeVisible()
  return datastore
}

/** Share of the canvas in a colour, to see that something was really drawn. */
function inkOf(page: Page, hex: string): Promise<number> {
  return page
    .locator('canvas')
    .first()
    .evaluate((canvas, colour) => {
      const drawn = canvas as HTMLCanvasElement
      const pixels =
        drawn.getContext('2d')?.getImageData(0, 0, drawn.width, drawn.height).data ?? new Uint8ClampedArray()
      const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]
      let found = 0
      for (let at = 0; at < pixels.length; at += 4)
        if (pixels[at] === r && pixels[at + 1] === g && pixels[at + 2] === b) found++
      return found
    }, hex)
}

test('both sides are drawn on one time axis', async ({ page, request }) => {
  await page.addInitScript(() => localStorage.setItem('gavel.theme', 'dark'))
  await openDatastore(page, request)
  for (const line of ['Array service', 'SAN (array port)', 'GAVG', 'DAVG', 'KAVG']) {
    await expect(page.getByRole('button', { name: line }).first()).toBeVisible()
  }
  await expect.poll(() => inkOf(page, '#3b7ddd'), { message: 'pixels of array service' }).toBeGreaterThan(500)
  await expect.poll(() => inkOf(page, '#ffffff'), { message: 'pixels of GAVG' }).toBeGreaterThan(20)
})

test('a line that is switched off is gone, and stays so in the link', async ({ page, request }) => {
  await page.addInitScript(() => localStorage.setItem('gavel.theme', 'dark'))
  await openDatastore(page, request)
  const before = await inkOf(page, '#3b7ddd')
  await page.getByRole('button', { name: 'Array service', exact: true }).click()
  await expect(page).toHaveURL(/hide=array\.service/)
  await expect.poll(() => inkOf(page, '#3b7ddd')).toBeLessThan(before / 2)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Array service', exact: true })).toHaveAttribute(
    'aria-pressed',
    'false',
  )
})

test('every number has its source, counter, unit and precision', async ({ page, request }) => {
  await openDatastore(page, request)
  const origins = page.getByRole('table', { name: 'Where these numbers come from' })
  await expect(origins.getByRole('row').filter({ hasText: 'Array' }).first()).toBeVisible()
  for (const heading of ['Source', 'Counter', 'Counted in steps of', 'Measured']) {
    await expect(origins.getByRole('columnheader', { name: heading })).toBeVisible()
  }
})

test('the chart is also a table, a spreadsheet and a picture', async ({ page, request }) => {
  await openDatastore(page, request)
  const csv = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the numbers as CSV' }).click()
  const text = await readFile(await (await csv).path(), 'utf8')
  expect(text.split('\r\n')[0]).toMatch(/^time \(UTC\),.*Array.*Hosts/)
  expect(text.split('\r\n').length).toBeGreaterThan(3)

  const png = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the picture as PNG' }).click()
  const picture = await readFile(await (await png).path())
  expect(picture.subarray(1, 4).toString()).toBe('PNG')
  expect(picture.length).toBeGreaterThan(10_000)

  await page.getByRole('button', { name: 'Show as table of numbers' }).click()
  const numbers = page.getByRole('table', { name: /^Numbers of/ })
  await expect(numbers.getByRole('columnheader', { name: /Array · / }).first()).toBeVisible()
  expect(await numbers.getByRole('row').count()).toBeGreaterThan(3)
})

test('dragging zooms, the address holds the window in UTC, back zooms out', async ({ page, request }) => {
  await openDatastore(page, request)
  const box = await page.locator('canvas').first().boundingBox()
  if (box === null) throw new Error('the chart has no place')
  const y = box.y + 120
  await page.mouse.move(box.x + box.width * 0.3, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 6 })
  await page.mouse.up()
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ&to=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/)
  await expect(page.getByRole('button', { name: 'Frozen' })).toBeVisible()
  const zoomed = new URL(page.url()).searchParams
  const minutes = (Date.parse(zoomed.get('to') ?? '') - Date.parse(zoomed.get('from') ?? '')) / 60_000
  expect(minutes).toBeGreaterThan(10)
  expect(minutes).toBeLessThan(30)
  await page.goBack()
  await expect(page).not.toHaveURL(/from=/)
  await expect(page.getByRole('button', { name: 'Last hour' })).toBeVisible()
})

test('hovering reads the numbers out and moves the table of the hosts to that moment', async ({ page, request }) => {
  await openDatastore(page, request)
  const box = await page.locator('canvas').first().boundingBox()
  if (box === null) throw new Error('the chart has no place')
  await page.mouse.move(box.x + box.width * 0.5, box.y + 120)
  await page.mouse.move(box.x + box.width * 0.5 + 3, box.y + 121)
  await expect(page.getByText(/UTC$/).first()).toBeVisible()
  await expect(page.getByText(/at the cursor/).first()).toBeVisible()
})

test('times change between UTC and the viewer’s zone, the address does not', async ({ page, request }) => {
  await openDatastore(page, request, '?from=2026-07-01T10:00:00Z&to=2026-07-01T11:00:00Z').catch(() => undefined)
  await expect(page.getByRole('button', { name: '1 Jul, 10:00 to 11:00 UTC' })).toBeVisible()
  const address = page.url()
  await page.getByRole('button', { name: 'Theme, time zone and help' }).click()
  await page.getByText('Your zone (UTC', { exact: false }).click()
  await expect(page.getByRole('button', { name: '1 Jul, 12:00 to 13:00 UTC+2' })).toBeVisible()
  expect(page.url()).toBe(address)
})

test('a refresh moves nothing', async ({ page, request }) => {
  await openDatastore(page, request)
  const places = () =>
    page
      .locator('h1, h2, canvas')
      .evaluateAll((nodes) => nodes.map((node) => JSON.stringify(node.getBoundingClientRect())))
  const before = await places()
  const refreshed = page.waitForResponse(/\/series\?/)
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await refreshed
  await page.waitForTimeout(300)
  expect(await places()).toEqual(before)
})

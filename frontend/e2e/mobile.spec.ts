import type { Page } from '@playwright/test'
import { aDatastore, aJudged, asEmpty, asFailing, asLongNamed, card, firstId, goWithin, openTab } from './scenes'
import { expect, test } from './watch'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

/** What makes the page wider than the screen. Tables scroll inside their own frame, the page never does. */
function overhang(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = [document.documentElement, document.querySelector('main')].filter((box) => box !== null)
    const tooWide = boxes.find((box) => box.scrollWidth > box.clientWidth)
    if (tooWide === undefined) return []
    const edge = tooWide.getBoundingClientRect().left + tooWide.clientWidth
    const past = [...tooWide.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > edge)
    const named = past.map((element) => `${element.tagName}.${element.getAttribute('class')}: ${element.textContent}`)
    return [`${tooWide.tagName} by ${tooWide.scrollWidth - tooWide.clientWidth} px`, ...named]
  })
}

async function fits(page: Page, path: string) {
  await page.goto(path)
  await isFitting(page, path)
}

async function isFitting(page: Page, path: string) {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expect(page.locator('h1, [role="alert"]').first()).toBeVisible()
  // Numbers may still come in and wrap lines anew.
  await expect.poll(() => overhang(page), { message: `${path} is wider than a phone`, timeout: 2000 }).toEqual([])
}

const LISTS = ['Datastores', 'VMs', 'Hosts', 'Volumes', 'Arrays', 'Findings', 'Sources']

async function listsFit(page: Page) {
  await fits(page, '/wall/environment')
  await fits(page, '/')
  for (const title of LISTS) {
    const path = `/${title.toLowerCase()}`
    await goWithin(page, path, title)
    await isFitting(page, path)
  }
}

test('no list is wider than a phone, whatever the names', async ({ page }) => {
  await listsFit(page)
  await asLongNamed(page)
  await listsFit(page)
})

test('no object is wider than a phone, whatever the names', async ({ page, request }) => {
  await asLongNamed(page)
  const { id } = await aDatastore(request)
  await fits(page, `/datastores/${id}?tab=counters`)
  // A fixed window has the longest words.
  await fits(page, `/datastores/${id}?from=2026-11-20T23:11:00Z&to=2026-11-21T00:39:00Z`)
  for (const kind of ['datastores', 'vms', 'hosts', 'volumes', 'arrays']) {
    await fits(page, `/${kind}/${await firstId(request, kind)}`)
    for (const tab of ['Path', 'Counters', 'Findings', 'Events'] as const) {
      await openTab(page, tab)
      await isFitting(page, `${kind}, ${tab}`)
    }
  }
})

test('an empty list and a failing one fit too', async ({ page, watched }) => {
  watched.expected.push(/503/)
  await asEmpty(page)
  await fits(page, '/datastores')
  await expect(page.getByRole('link', { name: 'Open sources' })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await asFailing(page)
  await fits(page, '/datastores')
  await expect(page.getByRole('alert')).toContainText(/No data from Gavel since \d\d:\d\d:\d\d/)
})

test('a list keeps its numbers under each name, with their headings, and is no box to scroll sideways', async ({
  page,
}) => {
  for (const [path, title] of [
    ['/datastores', 'Datastores'],
    ['/vms', 'VMs'],
    ['/hosts', 'Hosts'],
    ['/volumes', 'Volumes'],
    ['/arrays', 'Arrays'],
  ] as const) {
    await page.goto(path)
    const row = page.getByRole('table', { name: title }).locator('tbody tr:has(a)').first()
    await expect(row.getByRole('cell').last()).toHaveText(/\d (ms|µs)$/)
    await expect(row).toContainText(/Excess latency/)
    await expect(row).toContainText(/Excess OIO/)
    const box = page.getByRole('region', { name: `${title}, scrolls` })
    expect(await box.evaluate((one) => one.scrollWidth - one.clientWidth), path).toBe(0)
  }
  await page.goto('/volumes')
  await page.getByRole('combobox', { name: 'Sort order' }).selectOption('Excess latency, highest first')
  await expect(page).toHaveURL(/sort=-excess/)
})

test('columns are chosen on a phone too, and stand in the rows in their order', async ({ page }) => {
  await page.goto('/datastores')
  await page.getByRole('button', { name: 'Columns' }).tap()
  const box = page.getByRole('dialog', { name: 'Columns' })
  await box.getByRole('checkbox', { name: 'vCenter' }).tap()
  const row = page.getByRole('table', { name: 'Datastores' }).locator('tbody tr:has(a)').first()
  await expect(row).toContainText(/vCenter\S/)
  await box.getByRole('button', { name: 'Add to link' }).tap()
  await expect(page).toHaveURL(/columns=name[^&]*vcenter/)
  await expect.poll(() => overhang(page)).toEqual([])
})

test('the name stays in sight while the numbers scroll', async ({ page, request }) => {
  await page.goto(`/datastores/${(await aJudged(request)).id}`)
  const over = card(page, 'Latency over time')
  await over.getByRole('button', { name: 'Show as table' }).tap()
  const first = over.getByRole('table').locator('tbody tr td').nth(1)
  await expect(first).toBeVisible()
  const time = over.getByRole('table').locator('tbody tr:has(td:nth-child(2)) td').first()
  await time.scrollIntoViewIfNeeded()
  const before = await time.boundingBox()
  await over.getByRole('region', { name: /scrolls$/ }).evaluate((region) => region.scrollTo(400, 0))
  expect((await time.boundingBox())?.x).toBe(before?.x)
})

test('why and whose stands within a phone, and evidence is no box to scroll in', async ({ page, request }) => {
  await page.goto(`/datastores/${(await aDatastore(request)).id}?tab=counters`)
  for (const side of ['Hosts', 'Array']) {
    const box = page.getByRole('region', { name: `Evidence: ${side}, scrolls` })
    await expect(box.getByRole('row').nth(1)).toContainText(/through \d\d:\d\d/)
    const hidden = () => box.evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight])
    await expect.poll(hidden).toEqual([0, 0])
  }
  await page.goto('/sources')
  const streams = page.getByRole('region', { name: /^Streams of/ }).first()
  await expect(streams.getByRole('columnheader', { name: 'Stream' })).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Gaps and runs' }).first().click()
  const runs = page.getByRole('region', { name: 'Runs, scrolls' }).first()
  await expect(runs.getByRole('columnheader')).toHaveText([/^Started/])
  expect(await runs.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
})

test('the way of the I/Os in numbers stands within a phone, every number with its unit', async ({ page, request }) => {
  for (const path of [`/datastores/${(await aDatastore(request)).id}`, `/vms/${await firstId(request, 'vms')}`]) {
    await page.goto(`${path}?tab=path`)
    const way = card(page, 'I/O path')
    await way.getByRole('button', { name: 'Show as table' }).click()
    const load = way.getByRole('table', { name: 'Load per hop' })
    for (const words of [/^[\d,.]+( k)? IOPS$/, /(ms|µs) (from this hop on|in the array)/])
      await expect(load.getByText(words).first()).toBeVisible()
    const between = way.getByRole('table', { name: 'Latency between hops' })
    const toArray = between.getByRole('row').filter({ hasText: 'Array' }).first()
    await expect(toArray.getByText(/^range .*–.*(ms|µs)$/)).toBeVisible()
    for (const table of [load, between])
      expect(await table.evaluate((one) => one.getBoundingClientRect().right), path).toBeLessThanOrEqual(390)
    for (const box of await way.getByRole('region', { name: /scrolls$/ }).all())
      expect(await box.evaluate((one) => one.scrollWidth - one.clientWidth), path).toBe(0)
  }
})

test('a chart is read by a touch, and the reading stays until something else is touched', async ({ page, request }) => {
  await page.goto(`/datastores/${(await aJudged(request)).id}`)
  const over = card(page, 'Latency over time')
  const canvas = over.locator('canvas')
  await over.scrollIntoViewIfNeeded()
  await expect(canvas).toBeVisible()
  await canvas.scrollIntoViewIfNeeded()
  const place = await canvas.boundingBox()
  if (place === null) throw new Error('the chart has no place')
  await canvas.tap({ position: { x: place.width * 0.7, y: 120 } })
  const words = over.getByText(/^\d+ \w{3}, \d\d:\d\d to (\d+ \w{3}, )?\d\d:\d\d UTC$/)
  await expect(words).toBeInViewport()
  await over.getByRole('heading', { name: 'Latency over time' }).tap()
  await expect(words).toBeHidden()
})

import type { Locator, Page } from '@playwright/test'
import { still } from './accessible'
import { aJudged, asApart, card, diagnosisOf, firstChart, openRaw, openTab, withMostService } from './scenes'
import { expect, test } from './watch'

async function openDatastore(page: Page, request: Parameters<typeof aJudged>[0], search = '', which = aJudged) {
  const datastore = await which(request)
  await page.goto(`/datastores/${datastore.id}${search}`)
  await firstChart(page)
  await card(page, 'Latency over time').scrollIntoViewIfNeeded()
  await expect(card(page, 'Latency over time').locator('canvas')).toBeVisible()
  return datastore
}

/** Pixels of a canvas in a color, to see that something was really drawn. */
function inkOf(canvas: Locator, hex: string): Promise<number> {
  return canvas.evaluate((element, color) => {
    const drawn = element as HTMLCanvasElement
    const pixels = drawn.getContext('2d')?.getImageData(0, 0, drawn.width, drawn.height).data ?? []
    const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number]
    let found = 0
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at] === r && pixels[at + 1] === g && pixels[at + 2] === b) found++
    return found
  }, hex)
}

async function pointAt(page: Page, canvas: Locator, share: number) {
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('the chart has no place')
  const [x, y] = [box.x + box.width * share, box.y + 120]
  await page.mouse.move(x, y)
  return { x, y, box }
}

const SERVICE = '#3b7ddd'

test('one sentence says whose latency it is, and the numbers of both sides under it prove it', async ({
  page,
  request,
}) => {
  const { id } = await openDatastore(page, request)
  const { evidence, sentence } = await diagnosisOf(request, id)
  await expect(card(page, 'Diagnosis')).toContainText(sentence.head.headline)
  await expect(card(page, 'Diagnosis').getByText(/^(Normal|Elevated|High|Cleared \d\d:\d\d)$/)).toBeVisible()

  await card(page, 'Latency breakdown').getByRole('button', { name: 'Show as table' }).click()
  const numbers = page.getByRole('table', { name: /^Latency breakdown of/ })
  for (const row of ['Total', 'Kernel', 'SAN', 'Array', 'Guest'])
    await expect(numbers.getByRole('row').filter({ hasText: row }).first()).toBeVisible()
  await expect(numbers.getByRole('row').filter({ hasText: 'Guest' })).toContainText('not measured')

  await expect(page.getByRole('table', { name: 'VMs by latency share' }).getByRole('link').first()).toBeVisible()
  const hosts = page.getByRole('table', { name: 'Datastore per host' })
  for (const name of ['Share', 'GAVG', 'DAVG', 'KAVG', 'QAVG', 'DQLEN', 'Active VMs'])
    await expect(hosts.getByRole('columnheader', { name, exact: true })).toBeVisible()
  await expect(card(page, 'Per host')).toContainText(/In (ms|µs): GAVG \(guest latency\)/)
  const layers = page.getByRole('region', { name: 'Layer scoreboard' }).getByRole('listitem')
  for (const layer of ['Guest', 'Kernel', 'SAN', 'Array']) await expect(layers.filter({ hasText: layer })).toBeVisible()
  await expect(
    hosts
      .locator('tbody tr')
      .filter({ hasText: /\d+ of \d+$/ })
      .first(),
  ).toBeVisible()
  await openTab(page, 'Path')
  await expect(card(page, 'Outstanding I/O')).toContainText(/outstanding I\/Os/)
  await openTab(page, 'Counters')
  const differences = page.getByRole('table', { name: 'Counter differences' })
  const range = differences.getByRole('row').filter({ hasText: 'GAVG − DAVG' }).getByRole('cell').nth(2)
  await expect(range).toHaveText(/^[\d.<]+ (ms|µs)–[\d.<]+ (ms|µs)$/)
  for (const [side, title] of [
    ['host', 'Hosts'],
    ['array', 'Array'],
  ] as const) {
    const raw = page.getByRole('table', { name: `Evidence: ${title}` })
    const own = evidence.filter((one) => one.side === side)
    await expect(raw).toHaveAttribute('aria-rowcount', String(own.length + 1))
    for (const heading of ['Metric, counter', 'Value, resolution', 'Object, source', 'Through'])
      await expect(raw.getByRole('columnheader', { name: heading })).toBeVisible()
  }
  const origins = page.getByRole('table', { name: 'Counter origin' })
  await expect(origins.getByRole('row').filter({ hasText: 'Array' }).first()).toBeVisible()
})

test('one key leads from the diagnosis to the evidence of both sides, which stand beside each other, or one below the other', async ({
  page,
  request,
}) => {
  await openDatastore(page, request)
  await card(page, 'Diagnosis').getByRole('link', { name: 'Evidence' }).press('Enter')
  await expect(page).toHaveURL(/tab=counters/)
  const evidence = card(page, 'Evidence')
  await expect(evidence).toBeFocused()
  await expect(evidence.getByRole('heading', { name: 'Evidence', exact: true })).toBeInViewport()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('region', { name: 'Evidence: Hosts, scrolls' })).toBeFocused()
  const places = () =>
    Promise.all(
      ['Hosts', 'Array'].map(async (side) => {
        const box = await page.getByRole('table', { name: `Evidence: ${side}` }).boundingBox()
        if (box === null) throw new Error(`the evidence of ${side} has no place`)
        return box
      }),
    )
  const [hosts, array] = await places()
  expect(hosts?.y).toBe(array?.y)
  expect(hosts?.x).toBeLessThan(array?.x ?? 0)
  await page.setViewportSize({ width: 1100, height: 900 })
  await expect
    .poll(async () => {
      const [above, below] = await places()
      return [above?.x === below?.x, (above?.y ?? 0) < (below?.y ?? 0)]
    })
    .toEqual([true, true])
})

test('a part that is switched off is gone from the stack, and stays so in the link', async ({ page, request }) => {
  await page.addInitScript(() => localStorage.setItem('gavel.theme', 'dark'))
  await openDatastore(page, request, '', withMostService)
  const waterfall = card(page, 'Latency breakdown').locator('canvas')
  const stack = card(page, 'Latency over time')
  await expect.poll(() => inkOf(waterfall, SERVICE), { message: 'array service in the waterfall' }).toBeGreaterThan(100)
  const serviceOverTime = () => inkOf(stack.locator('canvas'), SERVICE)
  await expect.poll(serviceOverTime, { message: 'array service over time' }).toBeGreaterThan(500)
  const before = await serviceOverTime()
  await stack.getByRole('button', { name: 'Array service', exact: true }).click()
  await expect(page).toHaveURL(/hide=array_service/)
  await expect.poll(serviceOverTime).toBeLessThan(before / 10)
  await page.reload()
  await expect(stack.getByRole('button', { name: 'Array service', exact: true })).toHaveAttribute(
    'aria-pressed',
    'false',
  )
  await openRaw(page)
  for (const line of ['GAVG', 'DAVG', 'KAVG'])
    await expect(
      card(page, 'Latency by boundary')
        .getByRole('button', { name: new RegExp(`^${line}`) })
        .first(),
    ).toBeVisible()
})

test('the raw counters are fetched by their tab alone, also by older links to them and to one of their parts', async ({
  page,
  request,
}) => {
  const asked: string[] = []
  page.on('request', (sent) => asked.push(sent.url()))
  const { id } = await openDatastore(page, request)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  expect(asked.filter((url) => /detail=parts|\/(hops|occupancy|deltas)\?/.test(url))).toEqual([])
  await page.goto(`/datastores/${id}?open=raw`)
  await expect(page).toHaveURL(/\?tab=counters$/)
  await page
    .getByRole('table', { name: 'Per host and device' })
    .getByRole('button', { name: 'Show', exact: true })
    .first()
    .click()
  const part = new URL(page.url()).searchParams.get('part')
  await page.goto(`/datastores/${id}?part=${part}`)
  await expect(card(page, 'Latency by boundary')).toBeVisible()
  await expect(page).toHaveURL(/tab=counters/)
  await expect(page.getByRole('button', { name: 'Shown', exact: true })).toBeVisible()
})

test('tabs are reached and turned by keyboard, stand in the address, and fetch what they show', async ({
  page,
  request,
}) => {
  const { name } = await openDatastore(page, request)
  await expect(page).toHaveTitle(`${name} · Datastore · Gavel`)
  await page.getByRole('tab', { name: 'Summary' }).focus()
  for (const [tab, title] of [
    ['Path', 'I/O path'],
    ['Counters', 'Evidence'],
    ['Findings', 'Findings'],
    ['Events', 'Events'],
  ] as const) {
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('tab', { name: tab })).toBeFocused()
    await expect(page).toHaveURL(new RegExp(`tab=${tab.toLowerCase()}`))
    // A tab may have a count.
    await expect(page.getByRole('tabpanel')).toHaveAccessibleName(new RegExp(`^${tab}`))
    await expect(card(page, title)).toBeVisible()
    await expect(card(page, 'Diagnosis')).toHaveCount(0)
  }
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'Findings' })).toHaveAttribute('aria-selected', 'true')
})

test('a section that fails leaves the others as they are', async ({ page, request, watched }) => {
  watched.expected.push(/.*/)
  const { id } = await aJudged(request)
  await asApart(page)
  await page.route(/\/waterfall(\?|$)/, (route) =>
    route.fulfill({ json: { directions: [{ direction: 'all', state: 'judged' }] } }),
  )
  await page.goto(`/datastores/${id}`)
  const broken = card(page, 'Latency breakdown')
  await expect(broken.getByRole('alert')).toContainText('This section failed')
  await card(page, 'Latency over time').scrollIntoViewIfNeeded()
  await expect(card(page, 'Latency over time').locator('canvas')).toBeVisible()
  await page.unroute(/\/waterfall(\?|$)/)
  await page.reload()
  await firstChart(page)
})

test('what a page does not understand of its address is named, and taken out on request', async ({ page }) => {
  await page.goto('/datastores?range=7d&sort=name')
  await expect(page.getByText('This page has no parameter range=7d.')).toBeVisible()
  const remove = page.getByRole('button', { name: 'Remove from address' })
  // The list below takes no height from the note.
  await expect(remove).toBeInViewport({ ratio: 1 })
  await remove.click()
  await expect(page).toHaveURL(/\?sort=name$/)
  await expect(page.getByText('Address not fully understood')).toHaveCount(0)
})

test('a range that stands still says nothing of now', async ({ page, request }) => {
  const { id } = await aJudged(request)
  await page.goto(`/datastores/${id}?from=2026-07-01T10:00:00Z&to=2026-07-01T11:00:00Z`)
  await expect(page.getByRole('region', { name: 'Alerts in range' })).toBeVisible()
  await expect(page.locator('main').getByText(/\bago\b/)).toHaveCount(0)
  await expect(page.locator('main').getByText(/last minute/i)).toHaveCount(0)
})

test('the way of the I/Os is a list from VM to array: load of each hop, time between, and links onward', async ({
  page,
  request,
}) => {
  await openDatastore(page, request)
  await openTab(page, 'Path')
  const way = card(page, 'I/O path')
  const hops = way.getByRole('list', { name: 'Hops from VM to array' })
  for (const hop of ['VM', 'Virtual disk', 'Array'])
    await expect(hops.getByRole('heading', { name: new RegExp(`^${hop}`) })).toBeVisible()
  await expect(hops.getByText(/IOPS$/).first()).toBeVisible()
  for (const words of ['from this hop on', 'in the array', 'as hosts report'])
    await expect(hops.getByText(words).first()).toBeVisible()
  // The picture's lines in words, for those who do not see them.
  await expect(hops.getByText(/^Array to .*: .*(ms|µs)/).first()).toBeAttached()
  const vm = hops.getByRole('link').first()
  // A name that is cut for lack of room is two pieces on screen; its label is whole.
  const name = await vm.getAttribute('aria-label')
  await vm.click()
  await expect(page.locator('h1')).toHaveText(name ?? '')
  await openTab(page, 'Path')
  await expect(card(page, 'I/O path').getByRole('heading', { name: /^VM/ })).toBeVisible()
})

test('the stack shows shares of the total on request, by keyboard too, and the link keeps it', async ({
  page,
  request,
}) => {
  await openDatastore(page, request)
  const stack = card(page, 'Latency over time')
  await stack.getByRole('button', { name: '100 %' }).press('Enter')
  await expect(page).toHaveURL(/stack=share/)
  await page.reload()
  await expect(stack.getByRole('button', { name: '100 %' })).toHaveAttribute('aria-pressed', 'true')
  await stack.getByRole('button', { name: 'Show as table' }).click()
  const numbers = page.getByRole('table', { name: /^Counters: latency of/ })
  await expect(numbers.getByRole('columnheader', { name: /Read · Array service/ })).toBeVisible()
  await expect(numbers.getByRole('columnheader', { name: /Read · Total/ })).toHaveCount(0)
  await expect(numbers.getByRole('cell', { name: /^\d+(\.\d)? %$/ }).first()).toBeVisible()
})

test('dragging zooms, the diagnosis follows, the address holds the window in UTC, back zooms out', async ({
  page,
  request,
}) => {
  await openDatastore(page, request)
  const canvas = card(page, 'Latency over time').locator('canvas')
  await canvas.scrollIntoViewIfNeeded()
  const { box, y } = await pointAt(page, canvas, 0.3)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 6 })
  const judged = page.waitForRequest(/\/summary\?from=/)
  await page.mouse.up()
  await judged
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ&to=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/)
  await expect(page.getByRole('button', { name: 'Paused' })).toBeVisible()
  const zoomed = new URL(page.url()).searchParams
  const minutes = (Date.parse(zoomed.get('to') ?? '') - Date.parse(zoomed.get('from') ?? '')) / 60_000
  expect(minutes).toBeGreaterThan(10)
  expect(minutes).toBeLessThan(30)
  await page.goBack()
  await expect(page).not.toHaveURL(/from=/)
  await expect(page.getByRole('button', { name: 'Live · last 5 min' }).first()).toBeVisible()
})

test('one cursor reads all charts out', async ({ page, request }) => {
  await openDatastore(page, request)
  const stack = card(page, 'Latency over time').locator('canvas')
  await stack.scrollIntoViewIfNeeded()
  const { x, y } = await pointAt(page, stack, 0.5)
  await page.mouse.move(x + 3, y + 1)
  await expect(card(page, 'Latency over time').getByText(/UTC$/).first()).toBeVisible()
  await expect(card(page, 'Latency over time').getByTestId('cursor')).not.toHaveAttribute('hidden')
  await expect(card(page, 'Top contributors')).toContainText(/at \d\d:\d\d \(cursor\)/)
  await openTab(page, 'Counters')
  const [layers, raw] = ['Layers over time', 'Latency by boundary'].map((title) => card(page, title)) as [
    Locator,
    Locator,
  ]
  await layers.scrollIntoViewIfNeeded()
  await expect(layers.locator('canvas')).toBeVisible()
  await raw.scrollIntoViewIfNeeded()
  await expect(raw.locator('canvas')).toBeVisible()
  const over = await pointAt(page, raw.locator('canvas'), 0.5)
  await page.mouse.move(over.x + 3, over.y + 1)
  for (const chart of [layers, raw]) await expect(chart.getByTestId('cursor')).not.toHaveAttribute('hidden')
  await expect(page.getByText(/\(cursor\)/).first()).toBeVisible()
})

test('times change between UTC and the viewer’s zone, the address does not', async ({ page, request }) => {
  const { id } = await aJudged(request)
  await page.goto(`/datastores/${id}?from=2026-07-01T10:00:00Z&to=2026-07-01T11:00:00Z`)
  await expect(page.getByRole('button', { name: '1 Jul, 10:00 to 11:00 UTC' })).toBeVisible()
  await expect(card(page, 'Diagnosis')).toContainText('No analysis for this time range')
  const address = page.url()
  await page.getByRole('button', { name: 'Theme, time zone and help' }).click()
  await page.getByText('Your zone (UTC', { exact: false }).click()
  await expect(page.getByRole('button', { name: '1 Jul, 12:00 to 13:00 UTC+2' })).toBeVisible()
  expect(page.url()).toBe(address)
})

test('a refresh moves nothing', async ({ page, request }) => {
  await page.clock.install()
  await openDatastore(page, request)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  const places = () =>
    page
      .locator('h1, h2, canvas')
      .evaluateAll((nodes) => nodes.map((node) => JSON.stringify(node.getBoundingClientRect())))
  const before = await places()
  // What was read a moment ago is not read again by coming back to the page.
  await page.clock.fastForward('01:00')
  const refreshed = page.waitForResponse(/\/summary/)
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await refreshed
  await page.clock.runFor(1000)
  await still(page)
  expect(await places()).toEqual(before)
})

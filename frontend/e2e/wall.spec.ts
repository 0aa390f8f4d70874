import type { Page } from '@playwright/test'
import { anAlert, asAlerts } from './alertScenes'
import { atTime, gavelNow } from './clock'
import { aJudged, asEmpty, asFailing, asUnjudged, fetched, HOSTILE_NAMES, overviewOf } from './scenes'
import { expect, test } from './watch'

/** By how many px a board is higher than its screen. */
const overhang = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight - innerHeight)

test.use({ viewport: { width: 1920, height: 1080 } })

test('a wall needs no click, is read from afar, says when Gavel is lost and goes on by itself', async ({
  page,
  watched,
}) => {
  watched.expected.push(/ERR_FAILED|Failed to load resource/)
  let isLost = false
  await page.clock.install()
  await page.route('**/api/v1/live', (route) => route.abort())
  // All of Gavel: any other answer would bring its time, and the page would follow it instead of the browser's clock.
  await page.route(/\/api\/v1\/(?!live)/, (route) => (isLost ? route.abort() : route.continue()))
  await page.goto('/wall/environment')
  const rows = page.getByRole('list', { name: 'Worst datastores' }).getByRole('listitem')
  await expect(rows).toHaveCount(6)
  await expect(rows.first()).toContainText(/ms|µs/)
  // The age of every tile, and of what it is.
  for (const row of await rows.all()) await expect(row).toContainText(/\d (s|min) ago$/)
  await expect(page.locator('main > footer')).toContainText(/Analyzed through \d\d:\d\d, \d+ (s|min) ago$/)
  await expect(page.getByText(/^\d of \d sources live, last sample \d+ (s|min) ago$/)).toBeVisible()
  await expect(page.locator('nav, main a, main button')).toHaveCount(0)
  const font_px = await page.locator('main').evaluate((main) => Number.parseFloat(getComputedStyle(main).fontSize))
  expect(font_px).toBeGreaterThanOrEqual(42)
  expect(await overhang(page)).toBeLessThanOrEqual(0)

  const clock = page.locator('time')
  const before = await clock.textContent()
  await page.clock.runFor(2000)
  await expect(clock).not.toHaveText(before ?? '')

  isLost = true
  await page.clock.runFor(16_000)
  await expect(page.getByRole('alert')).toContainText('No response from Gavel since')
  await expect(rows.first()).toContainText(/ms|µs/)
  await page.clock.fastForward('07:00')
  await expect(rows.first()).toHaveAttribute('data-age', 'blank')
  await expect(rows.first()).toContainText('—')
  await expect(rows.first()).toContainText(/\d min ago$/)

  isLost = false
  await page.clock.runFor(16_000)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(rows.first()).toHaveAttribute('data-age', 'fresh')
})

const KERNEL = {
  state: 'judged',
  severity: 'high',
  limited_counters: false,
  confidence: 'confirmed',
  // Whatever the first row of this hour is: it has not cleared.
  until_at: null,
  layer: 'kernel',
  layer_label: 'Kernel',
  other: null,
  other_label: null,
  sentence: {
    headline: 'Kernel queue on esx-14',
    detail: '1.20 of 1.60 ms, 1.20 ms above baseline',
    text: 'Kernel queue on esx-14: 1.20 of 1.60 ms, 1.20 ms above baseline',
  },
}

test('the headline names the worst and its layer, rows their layer in a word, and what recovers does not fire', async ({
  page,
}) => {
  const calm = { acknowledged_at: null, quiet: null }
  const states = ['firing', 'firing', 'recovering']
  await asAlerts(
    page,
    states.map((state, index) => ({ ...anAlert(index, state), ...calm })),
  )
  const [long = ''] = HOSTILE_NAMES
  await page.route(/\/api\/v1\/overview\?/, async (route) => {
    const answer = await fetched(route)
    const found = await answer.json()
    const [first, ...others] = found.items
    first.excess_outstanding = 27.4
    first.layers = first.layers.map((layer: object) => ({ ...layer, name: 'kernel', excess_us: 1200 }))
    const cause = { ...others[0].cause, headline: 'vm-9 fills the queue of device 7 on esx-14' }
    found.items = [{ ...first, ...KERNEL, cause, subject: { ...first.subject, name: long } }, ...others]
    found.totals.by_severity = { high: 1, elevated: 2, normal: 11 }
    found.totals.by_confidence = { confirmed: 3 }
    found.totals.by_state = { judged: 14 }
    found.totals.ended = 0
    await route.fulfill({ response: answer, json: found })
  })
  await page.goto('/wall/environment')
  const headline = page.getByTitle(
    `3 of 14 datastores have elevated latency; worst: ${long}, Kernel queue on esx-14, 27 excess I/Os`,
  )
  await expect(headline).toBeVisible()
  // The name gives way, what it loses does not.
  await expect(headline.getByText('Kernel queue on esx-14, 27 excess I/Os')).toBeInViewport({ ratio: 1 })
  expect(await headline.evaluate((line) => line.scrollWidth - line.clientWidth)).toBeLessThanOrEqual(0)
  const rows = page.getByRole('list', { name: 'Worst datastores' }).getByRole('listitem')
  await expect(rows.first().getByText('Kernel', { exact: true })).toBeVisible()
  await expect(rows.first()).toContainText('vm-9 fills the queue of device 7 on esx-14')
  const header = page.locator('main > header')
  await expect(header).toContainText(/2 alerts firing:1 critical1 warningworst: .*1 recovering/)
  // The names are cut so that the clock stays on the screen.
  await expect(header.locator('time')).toBeInViewport({ ratio: 1 })
})

test('a row whose alert is only on its way back says so, and one alert is told as one', async ({ page, request }) => {
  // One whose latency is over already says when that was.
  const { items } = await overviewOf(request)
  const open = items.find(({ state, sentence }) => state === 'judged' && !sentence.text.includes('until'))
  const { id, name } = open?.subject ?? (await aJudged(request))
  const alert = { ...anAlert(0, 'recovering'), subject: { kind: 'datastore', id, name }, quiet: null }
  const other = anAlert(1, 'firing')
  // Of a datastore that this hour does not have: the examples' id may be the one that recovers.
  const elsewhere = { ...other, subject: { ...other.subject, id: id + 100_000 } }
  await asAlerts(page, [alert, { ...elsewhere, rule_name: 'Kernel above baseline', quiet: null }])
  await page.goto('/wall/environment')
  await expect(page.getByRole('listitem').filter({ hasText: name }).first()).toContainText('recovering')
  await expect(page.locator('main > header')).toContainText(
    /1 alert firing:warning.*Kernel above baseline.*1 recovering/,
  )
})

test('a wall without any source says once why it is empty and what to do, and one without answers since when', async ({
  page,
  watched,
}) => {
  watched.expected.push(/503/)
  await asEmpty(page)
  await page.goto('/wall/environment')
  const why = 'No sources yet: add an array and a vCenter under Sources on any other page.'
  await expect(page.getByText(why)).toHaveCount(1)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await asUnjudged(page)
  await page.goto('/wall/environment')
  const environment = page.getByRole('region', { name: 'Environment by layer' })
  await expect(environment).toContainText('— outstanding I/Os')
  await expect(page.getByText('Not analyzed yet')).toHaveCount(1)
  await expect(page.getByText(/^No analysis for this time range/)).toHaveCount(1)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await asFailing(page)
  await page.goto('/wall/environment')
  await expect(page.getByRole('alert')).toContainText(/No data from Gavel since \d\d:\d\d:\d\d\./)
})

test('boards take turns by the clock, in letters for the screen and the distance', async ({ page }) => {
  // Two boards of 5 s each: the first of them begins with the minute.
  const passes = await atTime(page, Math.floor(gavelNow() / 60_000) * 60_000)
  await page.goto('/wall/rotate?boards=environment,vms&every_s=5&screen_in=55&distance_m=5')
  for (const name of ['Environment', 'VMs', 'Environment']) {
    await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible()
    await passes(5000)
  }
  await expect(page.getByText(/^[12] of 2$/)).toBeVisible()
  const size = () => page.locator('main').evaluate((main) => Number.parseFloat(getComputedStyle(main).fontSize))
  expect(await size()).toBeGreaterThan(50)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})

const LAYERS = { guest: 'Guest', hypervisor: 'Hypervisor', kernel: 'Kernel queue', san: 'SAN', array: 'Array' }

test('a board stays on its screen from every distance, with every layer and with sources that fail', async ({
  page,
}) => {
  await page.route(/\/api\/v1\/overview\?/, async (route) => {
    const answer = await fetched(route)
    const found = await answer.json()
    const layers = Object.entries(LAYERS).map(([name, label]) => ({ name, label, layers: [name], ios: 1234.5 }))
    found.environment.occupancy = layers
    found.totals.by_severity = { high: 1, elevated: 2, normal: 11 }
    const [first, ...others] = found.items
    found.items = [{ ...first, ...KERNEL }, ...others]
    await route.fulfill({ response: answer, json: found })
  })
  await page.route(/\/api\/v1\/sources$/, async (route) => {
    const answer = await fetched(route)
    const sources = await answer.json()
    const json = sources.map((source: object, n: number) => ({ ...source, state: n < 2 ? 'failing' : 'live' }))
    await route.fulfill({ response: answer, json })
  })
  for (const distance_m of [2, 4, 5, 8]) {
    await page.goto(`/wall/environment?screen_in=55&distance_m=${distance_m}`)
    await expect(page.getByRole('list', { name: 'Worst datastores' }).getByRole('listitem').first()).toBeVisible()
    await expect(page.locator('main > footer')).toContainText('2 of 4 sources live')
    expect(await overhang(page), `from ${distance_m} m`).toBeLessThanOrEqual(0)
    const trend = page.getByRole('img', { name: /^Latency over the last hour: / })
    if (distance_m <= 4) await expect(trend.first()).toBeVisible()
    else await expect(trend).toHaveCount(0)
    const name = page.getByRole('region', { name: 'Environment by layer' }).locator('bdi').first()
    expect(await name.evaluate((cut) => cut.clientWidth), `the worst, from ${distance_m} m`).toBeGreaterThan(40)
  }
})

test('one thing has a board of its own, and what is no board says which there are', async ({ page, request }) => {
  const { id, name } = await aJudged(request)
  await page.goto(`/datastores/${id}`)
  await page.getByRole('link', { name: 'Open wall view' }).click()
  await expect(page).toHaveURL(new RegExp(`/wall/datastores-${id}`))
  await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Diagnosis' })).toContainText(/(Normal|Elevated|High|Cleared)/)
  await expect(page.getByRole('list', { name: 'Top contributors' }).getByRole('listitem').first()).toContainText(/IOPS/)
  await page.goto('/wall/rotate?boards=environment,kitchen')
  await expect(page.locator('h1')).toHaveText('No board “kitchen”')
})

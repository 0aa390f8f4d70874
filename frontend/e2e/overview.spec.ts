import { asFailing, card, fetched, HOSTILE_NAMES, OUTAGE, overviewOf } from './scenes'
import { expect, test } from './watch'

test('the worst comes first, its sentence stands beside it, and two clicks lead to the evidence', async ({
  page,
  request,
}) => {
  await page.goto('/')
  await expect(page.locator('h1')).toHaveText('Overview')
  await expect(card(page, 'Environment')).toContainText(/Outstanding I\/O by layer/)
  const table = page.getByRole('table', { name: 'Datastores by excess outstanding I/O' })
  const first = table.locator('tbody tr').first()
  const { items, total } = await overviewOf(request)
  const name = items[0]?.subject.name ?? ''
  await expect(table).toHaveAttribute('aria-rowcount', String(total + 1))
  // Beside it may stand the alerts that it has.
  await expect(first.getByRole('link', { name, exact: true })).toBeVisible()
  await expect(first).toContainText(/(ms|µs)/)
  await table.getByRole('link', { name, exact: true }).click()
  await expect(card(page, 'Diagnosis')).toBeVisible()
  await card(page, 'Diagnosis').getByRole('link', { name: 'Evidence' }).click()
  for (const side of ['Hosts', 'Array'])
    await expect(page.getByRole('table', { name: `Evidence: ${side}` })).toBeInViewport()
})

test('tiles show the same as the ranking: by size and color, as numbers, and a click opens the largest', async ({
  page,
  request,
}) => {
  const tileOf = ({ subject, iops, total_us, arrays }: Awaited<ReturnType<typeof overviewOf>>['items'][number]) => ({
    name: subject.name,
    array: arrays.map(({ name }) => name).join(' + '),
    ios: ((iops ?? 0) * (total_us ?? 0)) / 1e6,
  })
  const groups = [...Map.groupBy((await overviewOf(request)).items.map(tileOf), ({ array }) => array).values()]
  const sum = (own: readonly { ios: number }[]) => own.reduce((total, { ios }) => total + ios, 0)
  for (const own of groups) own.sort((a, b) => b.ios - a.ios)
  const busiest = groups.sort((a, b) => sum(b) - sum(a))[0]?.[0]
  await page.goto('/')
  const tiles = card(page, 'Outstanding I/O by datastore')
  const canvas = tiles.locator('canvas')
  await tiles.scrollIntoViewIfNeeded()
  await expect(canvas).toBeVisible()
  await tiles.getByRole('button', { name: 'Show as table' }).click()
  const numbers = page.getByRole('table', { name: 'Outstanding I/O of Datastores' })
  const row = numbers
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: busiest?.name ?? '', exact: true }) })
  await expect(row).toContainText(busiest?.array ?? '')
  await tiles.getByRole('button', { name: 'Show as chart' }).click()
  await expect(canvas).toBeVisible()
  // The largest tile of an array lies in the upper left corner, of which array may be a matter of rounding; the chart may still be painting.
  const largest = groups.map((own) => own[0]?.name ?? '')
  await expect(async () => {
    await canvas.click({ position: { x: 12, y: 60 } })
    await expect(page.locator('h1')).toHaveText(new RegExp(`^(${largest.join('|')})$`), { timeout: 3000 })
  }).toPass()
})

test('the ranking follows the cursor to the minute that is read, and comes back', async ({ page }) => {
  await page.goto('/')
  const overTime = card(page, 'Outstanding I/O over time')
  const canvas = overTime.locator('canvas')
  await overTime.scrollIntoViewIfNeeded()
  await expect(canvas).toBeVisible()
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('the chart has no place')
  const asked = page.waitForRequest((request) => {
    const { from, to } = Object.fromEntries(new URL(request.url()).searchParams)
    return request.url().includes('/overview?') && Date.parse(to ?? '') - Date.parse(from ?? '') === 60_000
  })
  await expect(async () => {
    await page.mouse.move(box.x + box.width * 0.9, box.y + 80)
    await page.mouse.move(box.x + box.width * 0.9 - 4, box.y + 82)
    await expect(page.getByText(/^at \d\d:\d\d \(cursor\)$/)).toBeVisible({ timeout: 3000 })
  }).toPass()
  await asked
  await page.mouse.move(box.x + 40, box.y - 150)
  await expect(page.getByText(/\(cursor\)$/)).toHaveCount(0)
})

test('kinds, filters and order are the server’s and stand in the address', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'VMs', exact: true }).click()
  await expect(page).toHaveURL(/kind=vms/)
  const table = page.getByRole('table', { name: 'VMs by excess outstanding I/O' })
  const normal = page.waitForRequest(/overview\?.*severity=normal/)
  await page.getByRole('button', { name: /\d+ Normal/ }).click()
  await normal
  await expect(table.locator('tbody tr', { hasText: /Confirmed|Likely|Inconclusive|Elevated|High/ })).toHaveCount(0)
  const sorted = page.waitForRequest(/overview\?.*sort=excess&order=desc/)
  await table.getByRole('button', { name: 'Excess latency' }).click()
  await sorted
  const filtered = page.waitForRequest(/overview\?.*search=no-such-vm/)
  await page.getByLabel('Filter by VM name').fill('no-such-vm')
  await filtered
  await expect(page.getByText('No matching VM')).toBeVisible()
  await page.reload()
  await expect(page.getByText('No matching VM')).toBeVisible()
})

test('hostile names are inert, and an outage says so', async ({ page, watched }) => {
  watched.expected.push(/503/)
  await page.route(/\/api\/v1\/overview\?/, async (route) => {
    const answer = await fetched(route)
    const found = (await answer.json()) as { items: { subject: { name: string } }[] }
    for (const [index, item] of found.items.entries()) item.subject.name = HOSTILE_NAMES[index] ?? item.subject.name
    await route.fulfill({ response: answer, json: found })
  })
  for (const path of ['/', '/wall/environment']) {
    await page.goto(path)
    await expect(page.getByText('aaaaaaaaaaaaaaaa').first()).toBeVisible()
    await expect(page.locator('main img, main script')).toHaveCount(0)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await asFailing(page)
  await page.goto('/')
  await expect(page.getByRole('alert').first()).toContainText(OUTAGE)
})

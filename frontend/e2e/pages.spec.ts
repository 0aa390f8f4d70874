import { settled, still, violations, violationsInDarkAndLight } from './accessible'
import { asFinding } from './findingScene'
import {
  ADMIN_STATE,
  aDatastore,
  api,
  asEmpty,
  asFailing,
  asLoading,
  asUnjudged,
  card,
  firstId,
  openTab,
} from './scenes'
import { expect, test } from './watch'

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const OWN_TABS = ['Path', 'Counters'] as const

for (const kind of ['datastores', 'vms', 'hosts', 'volumes', 'arrays']) {
  test(`the list of ${kind} and one of them are accessible`, async ({ page, request }) => {
    const id = kind === 'datastores' ? (await aDatastore(request)).id : await firstId(request, kind)
    for (const path of [`/${kind}`, `/${kind}/${id}`]) {
      await page.goto(path)
      await settled(page)
      expect(await violationsInDarkAndLight(page), path).toEqual([])
    }
    // Findings and events are the same sections on every kind of page.
    for (const tab of kind === 'datastores' ? ([...OWN_TABS, 'Findings', 'Events'] as const) : OWN_TABS) {
      await openTab(page, tab)
      await settled(page)
      expect(await violationsInDarkAndLight(page), `${kind}, ${tab}`).toEqual([])
    }
    if (kind !== 'datastores') return
    await page.goto(`/datastores/${id}`)
    await card(page, 'Latency breakdown').getByRole('button', { name: 'Show as table' }).click()
    await expect(page.getByRole('table', { name: /^Latency breakdown of/ })).toBeVisible()
    await page.setViewportSize(PHONE)
    await settled(page)
    expect(await violationsInDarkAndLight(page), 'as numbers, on a phone').toEqual([])
  })
}

test('findings and one of them are accessible, on a phone too, and an admin accepts it by keyboard', async ({
  browser,
}) => {
  const context = await browser.newContext({ storageState: ADMIN_STATE })
  const page = await context.newPage()
  await asFinding(page)
  for (const path of ['/findings', '/findings/7'])
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size)
      await page.goto(path)
      await settled(page)
      expect(await violationsInDarkAndLight(page), `${path} at ${size.width}`).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
  await page.getByRole('button', { name: 'Accept' }).press('Enter')
  await page.getByLabel('Reason').fill('Planned work')
  await page.getByLabel('Your name').fill('Ada')
  expect(await violations(page), 'the dialog').toEqual([])
  const sent = page.waitForRequest((request) => request.url().endsWith('/findings/7/accept'))
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).press('Enter')
  expect((await sent).postDataJSON()).toMatchObject({ by: 'Ada', why: 'Planned work' })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await context.close()
})

test('a what-if is accessible, is tried by keyboard and lives in its address', async ({ page, request, watched }) => {
  watched.expected.push(/422/)
  const { id } = await aDatastore(request)
  for (const path of [`/whatif?object=datastore-${id}`, '/whatif?case=both-queues&try=disk_queue:96,depth:96']) {
    await page.goto(path)
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size)
      await settled(page)
      await expect(page.getByRole('table', { name: 'Result' })).toBeVisible()
      expect(await violationsInDarkAndLight(page), `${path} at ${size.width}`).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
  }
  await page.setViewportSize(DESK)
  await page.goto('/whatif')
  await page.getByRole('button', { name: /^PVSCSI 64 → 96/ }).press('Enter')
  await expect(page.getByRole('row', { name: /^IOPS/ })).toContainText('65,000 IOPS')
  await page.getByRole('slider', { name: 'Device depth, slider' }).press('End')
  await expect(page).toHaveURL(/depth(:|%3A)256/)
  await expect(page.getByRole('row', { name: /^IOPS/ })).toContainText('65,000 IOPS to 195 k IOPS')
  await page.getByLabel('Device depth', { exact: true }).fill('0')
  await expect(page.getByRole('alert')).toContainText('greater than or equal to 1')
})

test('the overview and the walls are accessible, on a phone too', async ({ page, request }) => {
  for (const path of ['/', '/wall/environment', `/wall/arrays-${await firstId(request, 'arrays')}`]) {
    await page.goto(path)
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size)
      await settled(page)
      expect(await violationsInDarkAndLight(page), `${path} at ${size.width}`).toEqual([])
    }
  }
})

test('pages that have nothing to show yet are accessible, whatever the reason', async ({ page, request, watched }) => {
  watched.expected.push(/503/)
  const { id } = await aDatastore(request)
  const [overview, list, object] = ['/', '/datastores', `/datastores/${id}`]
  for (const [state, prepare, paths] of [
    ['empty', asEmpty, [overview, list]],
    ['not analyzed', asUnjudged, [object]],
    ['failing', asFailing, [overview, list, object]],
    ['loading', asLoading, [overview, list, object]],
  ] as const) {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await prepare(page)
    for (const path of paths) {
      await page.goto(path)
      if (state === 'loading') await expect(page.locator('[aria-busy="true"]').first()).toBeAttached()
      else await expect(page.locator('h1, [role="alert"]').first()).toBeVisible()
      await still(page)
      expect(await violationsInDarkAndLight(page), `${path} ${state}`).toEqual([])
    }
  }
})

// High contrast shares every part with the dark theme and changes its inks only: the richest pages tell.
test('high contrast is reached by keyboard, stays, and is accessible', async ({ page, request }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Theme, time zone and help' }).focus()
  await page.keyboard.press('Enter')
  const themes = page.getByRole('radiogroup', { name: 'Theme' }).getByRole('radio')
  await expect(themes.first()).toBeAttached()
  await expect(async () => {
    await page.keyboard.press('Tab')
    expect(await themes.evaluateAll((radios) => radios.some((radio) => radio === document.activeElement))).toBe(true)
  }).toPass()
  // The last of them is before the first.
  await page.keyboard.press('ArrowLeft')
  await expect(page.locator('html[data-theme="contrast"]')).toBeAttached()
  await page.keyboard.press('Escape')
  for (const path of ['/', '/wall/environment', `/datastores/${(await aDatastore(request)).id}?tab=counters`]) {
    if (path !== '/') await page.goto(path)
    await settled(page)
    await expect(page.locator('html[data-theme="contrast"]')).toBeAttached()
    expect(await violations(page), path).toEqual([])
  }
})

test('the sources and their dialog are accessible', async ({ browser }) => {
  const context = await browser.newContext({ storageState: ADMIN_STATE })
  const page = await context.newPage()
  await page.goto('/sources')
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.getByRole('button', { name: 'Add source' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expect(page.getByRole('dialog').getByLabel('Name')).toBeVisible()
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await context.close()
})

test('help, time window and preferences are accessible', async ({ page }) => {
  await page.goto('/datastores')
  await settled(page)
  await page.getByRole('button', { name: 'Live · last 5 min' }).click()
  await expect(page.getByText('Fixed window')).toBeVisible()
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Theme, time zone and help' }).click()
  await expect(page.getByText('Time zone')).toBeVisible()
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.getByRole('button', { name: 'Help and glossary' }).click()
  await expect(page.getByRole('dialog', { name: 'Help', exact: true })).toBeVisible()
  expect(await violationsInDarkAndLight(page)).toEqual([])
})

test('an unknown address and an unknown object say so', async ({ page, watched }) => {
  watched.expected.push(/404/)
  await page.goto('/no/such/page')
  await expect(page.getByText('Page not found')).toBeVisible()
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.goto('/datastores/999999999')
  await expect(page.getByRole('heading', { name: 'There is no datastore 999999999' })).toBeVisible()
  await expect(page.getByRole('alert').getByRole('link', { name: 'Datastores' })).toBeVisible()
  await page.goto('/vms/sql-01')
  await expect(page.getByRole('heading', { name: 'Not a VM ID: “sql-01”' })).toBeVisible()
  await page.goto('/alerts/abc')
  await expect(page.getByRole('heading', { name: 'Not an alert ID: “abc”' })).toBeVisible()
})

test('the page of an array lists its volumes, the slowest first, and leads to each', async ({ page, request }) => {
  const [first] = (await api(request, '/volumes?limit=1')).items as unknown as { name: string; array: { id: number } }[]
  if (!first) throw new Error('there are no volumes')
  await page.goto(`/arrays/${first.array.id}?tab=path`)
  const volumes = page.getByRole('region', { name: 'Volumes', exact: true })
  const table = volumes.getByRole('table', { name: 'Volumes' })
  for (const heading of ['Array latency', 'Reads', 'Writes', 'IOPS']) {
    await expect(table.getByRole('columnheader', { name: heading })).toBeVisible()
  }
  await expect(table.getByRole('columnheader', { name: 'Array latency' })).toHaveAttribute('aria-sort', 'descending')
  await table.getByRole('button', { name: 'Volume', exact: true }).click()
  await expect(page).toHaveURL(/sort=name/)
  await volumes.getByLabel('Filter by volume name').fill(first.name)
  await expect(table).toHaveAttribute('aria-rowcount', '2')
  await table.locator('tbody').getByRole('link').first().click()
  await expect(page).toHaveURL(/\/volumes\/\d+/)
})

test('counters of an array are of the whole array and of each target port, as charts and as tables', async ({
  page,
  request,
}) => {
  const [first] = (await api(request, '/arrays?limit=1')).items as unknown as { id: number; name: string }[]
  if (!first) throw new Error('there are no arrays')
  const { ports } = (await api(request, `/arrays/${first.id}`)) as unknown as { ports: { name: string }[] }
  await page.goto(`/arrays/${first.id}?tab=counters`)
  await expect(page.getByRole('region', { name: /^Whole array/ }).getByTestId('chart')).toBeVisible()
  const card = page.getByRole('region', { name: /^Target ports over time/ })
  await expect(card.getByText(/samples are kept for/)).toBeVisible()
  await card.getByRole('button', { name: 'Show as table' }).click()
  const table = card.getByRole('table', { name: `Counters: target ports of ${first.name}` })
  for (const { name } of ports) {
    await expect(table.getByRole('columnheader', { name: `${name} transmitted` })).toBeAttached()
  }
  expect(ports.length).toBeGreaterThan(0)
  expect(await violationsInDarkAndLight(page)).toEqual([])
})

test('between 1200 and 1440 px every list shows diagnosis and excess, and other columns make way for them', async ({
  page,
}) => {
  for (const [path, title] of [
    ['datastores', 'Datastores'],
    ['vms', 'VMs'],
    ['hosts', 'Hosts'],
    ['volumes', 'Volumes'],
    ['arrays', 'Arrays'],
  ]) {
    await page.goto(`/${path}`)
    const box = page.getByRole('region', { name: `${title}, scrolls` })
    for (const width of [1200, 1320, 1430]) {
      await page.setViewportSize({ width, height: 900 })
      for (const name of ['Severity', 'Diagnosis', 'Excess latency', 'Excess OIO'])
        await expect(box.getByRole('columnheader', { name, exact: true })).toBeInViewport({ ratio: 1 })
      const overhang = () => box.evaluate((one) => one.scrollWidth - one.clientWidth)
      await expect.poll(overhang, { message: `${path} at ${width}` }).toBe(0)
    }
  }
})

test('the window says whose clock the times are told by', async ({ page }) => {
  await page.goto('/hosts')
  await expect(page.getByRole('button', { name: /^Live · last 5 min\s*UTC$/ })).toBeVisible()
  await page.getByRole('button', { name: 'Theme, time zone and help' }).click()
  await page.getByText(/^Your zone/).click()
  await expect(page.getByRole('button', { name: /^Live · last 5 min\s*UTC\+\d$/ })).toBeVisible()
})

test('the policy lets a page have nothing but its own, and styles by a number that is used once', async ({
  request,
}) => {
  const policies = await Promise.all(
    ['/', '/datastores/1'].map(async (path) => {
      const answer = await request.get(path, { headers: { accept: 'text/html' } })
      const [, nonce = ''] = /'nonce-([\w+/=-]+)'/.exec(answer.headers()['content-security-policy'] ?? '') ?? []
      expect(nonce.length).toBeGreaterThanOrEqual(16)
      expect(await answer.text()).toContain(`nonce="${nonce}"`)
      expect(answer.headers()['content-security-policy']?.replace(nonce, '…').split('; ')).toEqual([
        "default-src 'self'",
        "script-src 'self'",
        "style-src-elem 'self' 'nonce-…'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ])
      return nonce
    }),
  )
  expect(new Set(policies).size).toBe(2)
})

test('an address takes times before now, as the API does: usual lengths move with the clock, others stand still', async ({
  page,
}) => {
  const asked = page.waitForRequest(/overview\?.*from=-3h&to=now/)
  await page.goto('/?from=-3h&to=now')
  await asked
  await expect(page).toHaveURL(/\?last=3h$/)
  await expect(page.getByRole('button', { name: /Last 3 hours/ }).first()).toBeVisible()
  await page.goto('/datastores?from=-2h&to=-1h')
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\dT[\d:]+Z&to=\d{4}-\d\d-\d\dT[\d:]+Z/)
  const { from, to } = Object.fromEntries(new URL(page.url()).searchParams)
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(3_600_000)
  await page.goto('/?from=-3y&to=now')
  await expect(page.getByText('2026-11-20T14:05:00Z, -3h or now')).toBeVisible()
})

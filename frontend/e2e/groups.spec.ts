import { readFile } from 'node:fs/promises'
import { settled, violationsInDarkAndLight } from './accessible'
import { api, card } from './scenes'
import { expect, test } from './watch'

interface Groups {
  label: string
  items: { value: string | null; members: number; worst: { subject: { name: string } } | null }[]
}

test('groups are ranked by the label that means an application, and each leads to its own page', async ({
  page,
  request,
}) => {
  const { items } = (await api(request, '/groups')) as unknown as Groups
  const worst = items[0]
  await page.goto('/groups')
  const table = page.getByRole('table', { name: 'VMs by application' })
  const first = table.locator('tbody tr:has(a)').first()
  await expect(first.getByRole('link').first()).toHaveAttribute('aria-label', worst?.value ?? '')
  await expect(table).toHaveAttribute('aria-rowcount', String(items.length + 1))
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])

  await page.getByRole('combobox', { name: 'Group by' }).selectOption('owner')
  await expect(page).toHaveURL(/by=owner/)
  await expect(page.getByRole('table', { name: 'VMs by owner' })).toBeVisible()
  await page.goBack()
  await expect(first).toBeVisible()
  await settled(page)

  await first.getByRole('link').first().press('Enter')
  await expect(page).toHaveURL(/\/group\?group=application/)
  await expect(page.getByRole('heading', { level: 1, name: worst?.value ?? '' })).toBeVisible()
  const members = page.getByRole('table', { name: 'VMs by excess outstanding I/O' })
  await expect(members).toHaveAttribute('aria-rowcount', String((worst?.members ?? 0) + 1))
  if (worst?.worst)
    await expect(members.locator('tbody tr:has(a)').first().getByRole('link').first()).toHaveAttribute(
      'aria-label',
      worst.worst.subject.name,
    )
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])

  await page
    .getByRole('radio', { name: 'Datastores' })
    .or(page.getByRole('button', { name: 'Datastores' }))
    .first()
    .click()
  await expect(page).toHaveURL(/kind=datastores/)
  await expect(page.getByRole('table', { name: 'Datastores by excess outstanding I/O' })).toBeVisible()

  await page.getByRole('link', { name: 'Open wall' }).click()
  await expect(page.getByText(`application: ${worst?.value}`).first()).toBeVisible()
  await expect(page.getByRole('list', { name: 'Worst VMs' }).getByRole('listitem').first()).toBeVisible()
})

test('the page of a group that nothing is in says so', async ({ page }) => {
  await page.goto('/group?group=application%3Dnothing-of-that-name')
  await expect(page.getByText('No VM has application nothing-of-that-name')).toBeVisible()
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.goto('/group?group=finance')
  await expect(page.getByRole('heading', { name: 'No group in this link' })).toBeVisible()
  await page.getByRole('link', { name: 'All groups' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Groups' })).toBeVisible()
})

test('a group has its outstanding I/O and latency by layer over time, as chart, table and CSV, and its ranking follows the cursor', async ({
  page,
  request,
}) => {
  const { items } = (await api(request, '/groups')) as unknown as Groups
  const value = items.find((one) => one.value !== null)?.value ?? ''
  const asked = page.waitForResponse(/\/groups\/latency\?/)
  await page.goto(`/group?group=application%3D${encodeURIComponent(value)}`)
  const found = (await (await asked).json()) as {
    members: number
    members_there: number[]
    total_ios: (number | null)[]
  }
  expect(Math.max(...found.members_there)).toBeGreaterThan(0)
  const chart = card(page, 'Outstanding I/O over time')
  await chart.scrollIntoViewIfNeeded()
  await expect(chart.locator('canvas')).toBeVisible()
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])

  const legend = chart.getByRole('group', { name: 'Chart series' })
  const total = legend.getByRole('button', { name: 'Total' })
  await total.press('Enter')
  await expect(page).toHaveURL(/hide=total/)
  await expect(total).toHaveAttribute('aria-pressed', 'false')
  await total.press('Enter')

  const box = await chart.locator('canvas').boundingBox()
  if (box === null) throw new Error('the chart has no place')
  await expect(async () => {
    await page.mouse.move(box.x + box.width * 0.9, box.y + 80)
    await page.mouse.move(box.x + box.width * 0.9 - 4, box.y + 82)
    await expect(page.getByText(/^at \d\d:\d\d \(cursor\)$/)).toBeVisible({ timeout: 3000 })
  }).toPass()

  const download = page.waitForEvent('download')
  await chart.getByRole('button', { name: 'Save as CSV' }).press('Enter')
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
  expect(lines[0]).toContain('Outstanding I/O · Total (I/Os)')
  expect(lines[0]).toContain('VMs with a diagnosis (count)')
  expect(lines).toHaveLength(found.total_ios.length + 1)
  await chart.getByRole('button', { name: 'Show as table' }).press('Enter')
  const numbers = page.getByRole('table', { name: 'Outstanding I/O and latency over time by layer' })
  await expect(numbers.getByRole('columnheader', { name: 'Latency · Total' })).toBeVisible()
})

test('a group over time says that its range is too long, has no minute, or cannot be had', async ({
  page,
  request,
  watched,
}) => {
  watched.expected.push(/422/, /500/)
  const { items } = (await api(request, '/groups')) as unknown as Groups
  const group = `group=application%3D${encodeURIComponent(items.find((one) => one.value !== null)?.value ?? '')}`
  await page.goto(`/group?${group}&from=2024-01-01T00:00:00Z&to=2024-01-01T01:00:00Z`)
  const chart = card(page, 'Outstanding I/O over time')
  await expect(chart.getByText('No analysis for this time range', { exact: true })).toBeVisible()

  const detail =
    '5,000 VMs over 30.0 days are too many to add up at once. Choose a range of at most 7 days, or a smaller group.'
  const problem = { type: 'about:blank', title: 'Unusable request', status: 422, detail, errors: [] }
  await page.route(/\/groups\/latency\?/, (route) => route.fulfill({ status: 422, json: problem }))
  await page.goto(`/group?${group}&last=30d`)
  await expect(chart.getByText('Range too long for this group')).toBeVisible()
  await expect(chart.getByText(detail)).toBeVisible()
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])

  await page.route(/\/groups\/latency\?/, (route) => route.fulfill({ status: 500, body: '' }))
  await page.goto(`/group?${group}&last=3h`)
  await expect(page.getByRole('alert').filter({ hasText: 'the group over time' })).toBeVisible()
})

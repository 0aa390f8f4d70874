import { settled, violationsInDarkAndLight } from './accessible'
import { api } from './scenes'
import { expect, test } from './watch'

test('a list is the overview’s table, the worst first, and its filters stand in the address', async ({
  page,
  request,
}) => {
  const ranked = (await api(request, '/overview?kind=vms')).items as unknown as { subject: { name: string } }[]
  await page.goto('/vms')
  const table = page.getByRole('table', { name: 'VMs' })
  const rows = table.locator('tbody tr:has(a)')
  for (const heading of ['Severity', 'Latency', 'Excess latency', 'Excess OIO', 'Last hour', 'Owner'])
    await expect(table.getByRole('columnheader', { name: heading, exact: true })).toBeVisible()
  await expect(rows.first().getByRole('link').first()).toHaveAttribute('aria-label', ranked[0]?.subject.name ?? '')
  await expect(table.getByRole('columnheader', { name: 'Excess OIO' })).toHaveAttribute('aria-sort', 'descending')
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])

  await page.getByRole('combobox', { name: 'Filter by severity' }).selectOption('Normal')
  await expect(page).toHaveURL(/severity=normal/)
  const { total } = (await api(request, '/vms?severity=normal&limit=1')) as unknown as { total: number }
  await expect(table).toHaveAttribute('aria-rowcount', String(total + 1))

  await page.getByRole('button', { name: 'Filters' }).press('Enter')
  const box = page.getByRole('dialog', { name: 'Filters' })
  await box.getByLabel('Filter by cluster').fill('no such cluster')
  await expect(page.getByText('No matching VM')).toBeVisible()
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove filter cluster: no such cluster' }).press('Enter')
  await expect(page).not.toHaveURL(/cluster=/)
  await expect(table).toHaveAttribute('aria-rowcount', String(total + 1))
  await page.getByRole('button', { name: 'Clear all' }).first().press('Enter')
  await expect(page).toHaveURL(/\/vms$/)
})

test('values of a filter are offered with how many objects have each, and one is chosen by keyboard', async ({
  page,
  request,
}) => {
  const { items } = (await api(request, '/filters/owner?kind=vms')) as unknown as {
    items: { value: string; filter: string; objects: number }[]
  }
  const first = items[0]
  await page.goto('/vms')
  await page.getByRole('button', { name: 'Filters' }).press('Enter')
  const box = page.getByRole('dialog', { name: 'Filters' })
  const field = box.getByRole('combobox', { name: 'Filter by owner' })
  await field.fill(first?.value.slice(0, 3).toUpperCase() ?? '')
  const option = box.getByRole('listbox', { name: 'Values of owner' }).getByRole('option').first()
  await expect(option).toContainText(`${first?.objects} VM`)
  await expect(option).toContainText(first?.value ?? '')
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
  // The values close before the box that they are in.
  await page.keyboard.press('Escape')
  await expect(option).toBeHidden()
  await expect(box).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(option).toHaveAttribute('data-combobox-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('table', { name: 'VMs' })).toHaveAttribute(
    'aria-rowcount',
    String((first?.objects ?? 0) + 1),
  )
  await page.keyboard.press('Escape')
  await expect(box).toBeHidden()
  await expect(page.getByRole('button', { name: `Remove filter owner: ${first?.filter}` })).toHaveText(
    `owner: ${first?.filter}`,
  )

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Filters (1)' }).click()
  await box.getByRole('combobox', { name: 'Filter by cluster' }).click()
  await expect(box.getByRole('listbox', { name: 'Values of cluster' }).getByRole('option').first()).toBeVisible()
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
})

test('the overview has the same filters, in one line at 1440 px', async ({ page }) => {
  await page.goto('/?kind=vms')
  const table = page.getByRole('table', { name: 'VMs by excess outstanding I/O' })
  await expect(table.locator('tbody tr:has(a)').first()).toBeVisible()
  const controls = [
    page.getByRole('button', { name: 'Arrays', exact: true }),
    page.getByRole('button', { name: 'Filters' }),
    page.getByRole('button', { name: 'Columns' }),
  ]
  const middles = await Promise.all(
    controls.map(async (one) => {
      const { y = 0, height = 0 } = (await one.boundingBox()) ?? {}
      return y + height / 2
    }),
  )
  expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(12)
  const asked = page.waitForRequest(/overview\?.*owner=nobody-of-that-name/)
  await page.goto('/?kind=vms&owner=nobody-of-that-name')
  await asked
  await expect(page.getByRole('button', { name: 'Remove filter owner: nobody-of-that-name' })).toBeVisible()
  await expect(page.getByText('No matching VM')).toBeVisible()
})

test('on a phone all filters are in one box', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/datastores?severity=normal')
  await expect(page.getByRole('combobox', { name: 'Filter by severity' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Filters (1)' }).click()
  const box = page.getByRole('dialog', { name: 'Filters' })
  await expect(box.getByRole('combobox', { name: 'Filter by severity' })).toHaveValue('normal')
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
})

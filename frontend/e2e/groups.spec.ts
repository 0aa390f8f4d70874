import { settled, violationsInDarkAndLight } from './accessible'
import { api } from './scenes'
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

import { aDatastore, asFull, asNamed, HOSTILE_NAMES } from './scenes'
import { expect, test } from './watch'

test('hostile names are text in the list, whole on focus', async ({ page }) => {
  await asFull(page, 2000)
  await page.goto('/datastores')
  const rows = page.getByRole('table', { name: 'Datastores' }).getByRole('row')
  await expect(rows.nth(1)).toBeVisible()
  await expect(page.locator('main img, main script')).toHaveCount(0)
  const longest = page.getByRole('link').filter({ hasText: 'aaaaaaaaaaaaaaaaaaaaaaaa' }).first()
  await longest.focus()
  await expect(page.getByRole('tooltip')).toHaveText(HOSTILE_NAMES[0] ?? '')
})

test('rows have one height whatever their names', async ({ page }) => {
  await asFull(page, 2000)
  await page.goto('/datastores')
  const rows = page.getByRole('table', { name: 'Datastores' }).locator('tbody tr:has(a)')
  await expect(rows.first()).toBeVisible()
  const heights = await rows.evaluateAll((nodes) => [
    ...new Set(nodes.map((node) => Math.round(node.getBoundingClientRect().height))),
  ])
  expect(heights).toHaveLength(1)
})

test('two thousand datastores scroll to the last one without loading them all', async ({ page }) => {
  const offsets: string[] = []
  page.on('request', (sent) => {
    const offset = new URL(sent.url()).searchParams.get('offset')
    if (sent.url().includes('/datastores?') && offset) offsets.push(offset)
  })
  await asFull(page, 2000)
  await page.goto('/datastores')
  const table = page.getByRole('table', { name: 'Datastores' })
  await expect(table).toHaveAttribute('aria-rowcount', '2001')
  await page
    .getByRole('region', { name: 'Datastores, scrolls' })
    .evaluate((region) => region.scrollTo(0, region.scrollHeight))
  await expect(table.locator('tr[aria-rowindex="2001"] a').first()).toBeVisible()
  expect(offsets).toContain('1900')
  expect(new Set(offsets).size).toBeLessThan(6)
  expect(await table.locator('tbody tr').count()).toBeLessThan(80)
})

for (const name of HOSTILE_NAMES.slice(0, 3)) {
  test(`a page named ${name.slice(0, 24)} stands`, async ({ page, request }) => {
    const { id } = await aDatastore(request)
    await asNamed(page, `/datastores/${id}`, name)
    await page.goto(`/datastores/${id}`)
    await expect(page.locator('h1')).toHaveText(name)
    const width = await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)
    expect(width).toBeLessThanOrEqual(0)
  })
}

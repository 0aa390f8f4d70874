/** Files of databases in a VM: what the database waited for beside the guest's disk. */

import { readFileSync } from 'node:fs'
import { violations, violationsInDarkAndLight } from './accessible'
import { card, firstId } from './scenes'
import { expect, test } from './watch'

const PATH = '/api/v1/vms/{vm_id}/database-files'
const described = JSON.parse(readFileSync(new URL('../codegen/openapi.json', import.meta.url), 'utf8')).paths

test('database files say where to get them, and show waits beside the guest’s disk in words', async ({
  page,
  request,
}) => {
  const vm = `/vms/${await firstId(request, 'vms')}?tab=counters`
  await page.goto(vm)
  const files = card(page, 'Database files')
  await files.scrollIntoViewIfNeeded()
  await expect(files).toContainText('inputs.sqlserver')

  const example = described[PATH].get.responses['200'].content['application/json'].example
  await page.route('**/api/v1/vms/*/database-files?*', (route) => route.fulfill({ json: example }))
  await page.goto(vm)
  await files.scrollIntoViewIfNeeded()
  await expect(files).toContainText('The database waited 9.80 ms per read, the guest’s disk 2.10 ms.')
  const table = files.getByRole('table', { name: 'Database files' })
  await expect(table.getByRole('row').nth(1)).toContainText('PhysicalDisk 1 · Hard disk 2')
  await expect(table.getByRole('row').nth(2)).toContainText('1.90 ms')
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await violations(page)).toEqual([])
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width, 'nothing but tables scrolls sideways').toBeLessThanOrEqual(390)
})

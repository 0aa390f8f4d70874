/** Test runs of a VM, a datastore or a volume: imported, beside its layers, compared and removed. */

import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { FileImport, TestRun, TestRunChanges, TestRunLatency } from '../src/api/types'
import { violations, violationsInDarkAndLight } from './accessible'
import { ADMIN_STATE, card, firstId } from './scenes'
import { expect, test } from './watch'

const described = JSON.parse(readFileSync(new URL('../codegen/openapi.json', import.meta.url), 'utf8')).paths

const exampleOf = (path: string) => described[path].get.responses['200'].content['application/json'].example

/** As the API's own examples have it: run 3 and run 4. */
async function withRuns(page: Page): Promise<void> {
  const changes: TestRunChanges = exampleOf('/api/v1/{kind}/{thing_id}/test-runs/changes')
  const items: TestRun[] = [changes.after, changes.before]
  await page.route('**/api/v1/vms/*/test-runs?*', (route) => route.fulfill({ json: { items, total: items.length } }))
  await page.route('**/api/v1/vms/*/test-runs/changes?*', (route) => route.fulfill({ json: changes }))
}

test('a VM without test runs says how to import one', async ({ page, request }) => {
  await page.goto(`/vms/${await firstId(request, 'vms')}?tab=counters`)
  const runs = card(page, 'Test runs')
  await runs.scrollIntoViewIfNeeded()
  await expect(runs).toContainText('No test runs yet')
  await expect(runs).toContainText('gavel import fio run.json --vm NAME')
})

for (const [kind, flag] of [
  ['datastores', '--datastore'],
  ['volumes', '--volume'],
] as const)
  test(`an object of ${kind} has test runs of its own, beside the I/Os of all`, async ({ page, request }) => {
    const address = `/${kind}/${await firstId(request, kind)}?tab=counters`
    await page.goto(address)
    const runs = card(page, 'Test runs')
    await runs.scrollIntoViewIfNeeded()
    await expect(runs).toContainText('No test runs yet')
    await expect(runs).toContainText(`${flag} NAME`)
    const { after }: TestRunChanges = exampleOf('/api/v1/{kind}/{thing_id}/test-runs/changes')
    await page.route(`**/api/v1/${kind}/*/test-runs?*`, (route) =>
      route.fulfill({ json: { items: [after], total: 1 } }),
    )
    await page.goto(address)
    await runs.scrollIntoViewIfNeeded()
    await expect(runs.getByRole('table', { name: 'Test runs beside layers' })).toContainText('1.40 ms')
    await expect(runs).toContainText('Layers hold the I/Os of all')
    await page.screenshot({ path: test.info().outputPath('runs.png') })
    expect(await violationsInDarkAndLight(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await violations(page)).toEqual([])
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, 'nothing but tables scrolls sideways').toBeLessThanOrEqual(390)
  })

test('an archive of HCIBench says what became no test run, when asked for', async ({ page, request }) => {
  const id = await firstId(request, 'datastores')
  const [captured]: FileImport[] = exampleOf('/api/v1/imports')
  const archive = {
    ...captured,
    format: 'hcibench',
    file_name: 'fio-8vmdk-4k-1773480000.tgz',
    state: 'ready',
    subject: { kind: 'datastore', id, name: 'ds-prod-02' },
    runs: 8,
    left_out: 2,
  }
  await page.route('**/api/v1/imports', (route) => route.fulfill({ json: [archive] }))
  await page.route('**/api/v1/imports/*/left-out', (route) =>
    route.fulfill({ json: exampleOf('/api/v1/imports/{import_id}/left-out') }),
  )
  await page.goto(`/datastores/${id}?tab=counters`)
  const runs = card(page, 'Test runs')
  await runs.scrollIntoViewIfNeeded()
  await expect(runs).toContainText('8 test runs, 2 left out')
  await runs.getByRole('button', { name: /^Left out of fio-8vmdk/ }).focus()
  await page.keyboard.press('Enter')
  const reasons = runs.getByRole('region', { name: 'Left out, with reasons' })
  await expect(reasons).toContainText('No VM of this name is in the inventory')
  await page.screenshot({ path: test.info().outputPath('left-out.png') })
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await violations(page)).toEqual([])
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width, 'nothing but tables scrolls sideways').toBeLessThanOrEqual(390)
})

test('test runs stand beside the layers and two of them are compared by keyboard', async ({ page, request }) => {
  await withRuns(page)
  await page.goto(`/vms/${await firstId(request, 'vms')}?tab=counters`)
  const runs = card(page, 'Test runs')
  await runs.scrollIntoViewIfNeeded()
  const table = runs.getByRole('table', { name: 'Test runs beside layers' })
  await expect(table.getByRole('rowgroup').nth(1)).toContainText('1.40 ms')
  await expect(table.getByRole('rowgroup').nth(1)).toContainText('not measured')
  await expect(table.getByRole('link')).toHaveCount(2)
  for (const file of ['run-4.json', 'run-3.json']) {
    await table.getByRole('checkbox', { name: new RegExp(`^Compare .*${file}`) }).focus()
    await page.keyboard.press('Space')
  }
  const changes = card(page, 'Changes between runs')
  await changes.scrollIntoViewIfNeeded()
  await expect(changes.getByRole('row', { name: /^Kernel/ })).toContainText('+0.43 ms')
  await expect(changes.getByRole('row', { name: /^Remainder/ })).toContainText('0.47 ms')
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await violations(page)).toEqual([])
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width, 'nothing but tables scrolls sideways').toBeLessThanOrEqual(390)
})

test('the latency that a tool logged stands over the layers of the same minutes, in a chart and as a table', async ({
  page,
  request,
}) => {
  const latency: TestRunLatency = exampleOf('/api/v1/{kind}/{thing_id}/test-runs/{run_id}/latency')
  await withRuns(page)
  await page.route('**/api/v1/vms/*/test-runs/*/latency', (route) => route.fulfill({ json: latency }))
  await page.goto(`/vms/${await firstId(request, 'vms')}?tab=counters`)
  const runs = card(page, 'Test runs')
  await runs.scrollIntoViewIfNeeded()
  await runs.getByRole('button', { name: /^Latency over time of .*run-4.json/ }).focus()
  await page.keyboard.press('Enter')
  const chart = card(page, 'Latency over time').last()
  await chart.scrollIntoViewIfNeeded()
  await expect(chart).toContainText('from averages of 5.0 s; layers one per 1 min')
  await expect(chart.getByRole('img', { name: /as fio logged it/ })).toBeVisible()
  await page.screenshot({ path: test.info().outputPath('chart.png') })
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await chart.getByRole('button', { name: 'Show as table' }).click()
  const table = chart.getByRole('table')
  await expect(table).toContainText('Read · fio latency')
  await expect(table).toContainText('1.40 ms')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await violations(page)).toEqual([])
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width, 'nothing but tables scrolls sideways').toBeLessThanOrEqual(390)
})

test.describe('imports', () => {
  test.use({ storageState: ADMIN_STATE })

  test('a result is chosen on the page of its VM, listed until it is read, and removed after a question', async ({
    page,
    request,
  }) => {
    await page.goto(`/vms/${await firstId(request, 'vms')}?tab=counters`)
    const runs = card(page, 'Test runs')
    await runs.scrollIntoViewIfNeeded()
    await runs.locator('input[type=file]').setInputFiles({
      name: 'run.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"fio version": "fio-3.35"'),
    })
    const row = runs.getByRole('list', { name: 'Imports', exact: true }).getByRole('listitem')
    await expect(row).toContainText(/Waiting|Reading|Failed/)
    await row.getByRole('button', { name: 'Remove run.json' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove import' })
    expect(await violationsInDarkAndLight(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(row).toHaveCount(0)
    await expect(runs).toContainText('No test runs yet')
  })
})

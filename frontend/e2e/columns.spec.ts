import { readFileSync } from 'node:fs'
import { settled, violationsInDarkAndLight } from './accessible'
import { expect, test } from './watch'

test('columns of a list are chosen by keyboard, stay, travel in a link, and are what the CSV has', async ({ page }) => {
  await page.goto('/datastores')
  const table = page.getByRole('table', { name: 'Datastores' })
  await expect(table.getByRole('columnheader', { name: 'Severity' })).toBeVisible()
  await page.getByRole('button', { name: 'Columns' }).press('Enter')
  const box = page.getByRole('dialog', { name: 'Columns' })
  await box.getByRole('checkbox', { name: 'Severity' }).press('Space')
  await expect(table.getByRole('columnheader', { name: 'Severity' })).toHaveCount(0)
  await box.getByRole('button', { name: 'Move Excess OIO left' }).press('Enter')
  await expect(box.getByRole('status')).toHaveText(/^Excess OIO: column \d+ of \d+$/)
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Columns' })).toBeFocused()
  await page.reload()
  await expect(table.getByRole('columnheader', { name: 'Excess OIO' })).toBeVisible()
  await expect(table.getByRole('columnheader', { name: 'Severity' })).toHaveCount(0)

  await page.goto('/datastores?columns=name,vms,type')
  await expect(table.getByRole('columnheader')).toHaveText([/^Datastore/, 'VMs', 'Type'])
  // The file is named by the newest sample in the list.
  await expect(table.getByRole('row').nth(1)).toContainText(/\d/)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toMatch(/^datastores-.*\d.*\.csv$/)
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines[0]).toBe('Datastore,VMs,Type')
  const rows = Number(await table.getAttribute('aria-rowcount'))
  expect(lines.length).toBe(rows)
})

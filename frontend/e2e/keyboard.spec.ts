import type { Locator, Page } from '@playwright/test'
import { aDatastore } from './scenes'
import { expect, test } from './watch'

/** The two keys belong together within 1.5 s: a busy machine may be too slow for the first try. */
async function goTo(page: Page, key: string, title: string) {
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect(page.locator('h1')).toHaveText(title, { timeout: 4000 })
  }).toPass()
}

test('g and a letter go to the pages of the menu', async ({ page }) => {
  await page.goto('/sources')
  await expect(page.locator('h1')).toHaveText('Sources')
  for (const [key, title] of [
    ['d', 'Datastores'],
    ['m', 'VMs'],
    ['h', 'Hosts'],
    ['v', 'Volumes'],
    ['r', 'Arrays'],
    ['a', 'Alerts'],
    ['f', 'Findings'],
    ['o', 'Overview'],
    ['s', 'Sources'],
  ] as const) {
    await goTo(page, key, title)
  }
})

test('slash searches from anywhere and Enter opens the first hit', async ({ page, request }) => {
  const { name } = await aDatastore(request)
  await page.goto('/hosts')
  await expect(page.locator('h1')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type(name)
  // A busy browser may still show what it found for less than was typed.
  const hits = page.getByRole('listbox').getByRole('option')
  await expect(hits.filter({ hasText: 'datastore' }).first()).toBeVisible()
  await expect(hits.filter({ hasNotText: name })).toHaveCount(0)
  const first = await hits.first().getAttribute('value')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`${first}$`))
  await expect(page.locator('h1')).toHaveText(name)
})

test('keys typed into a field are text, not commands', async ({ page }) => {
  await page.goto('/datastores')
  await page.getByLabel('Filter by datastore name').focus()
  await page.keyboard.type('g h?[')
  await expect(page).toHaveURL(/q=g\+h%3F%5B/)
  await expect(page.locator('h1')).toHaveText('Datastores')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('brackets move the window and freeze it; the window goes along to other pages', async ({ page }) => {
  await page.goto('/datastores')
  await expect(page.locator('h1')).toBeVisible()
  await page.keyboard.press('[')
  await expect(page).toHaveURL(/from=.*&to=/)
  const before = new URL(page.url()).searchParams
  await goTo(page, 'h', 'Hosts')
  expect(new URL(page.url()).searchParams.get('from')).toBe(before.get('from'))
  await page.getByRole('button', { name: 'Paused' }).click()
  await expect(page).not.toHaveURL(/from=/)
})

test('the time window opens, is chosen and closes by keyboard, and gives the focus back', async ({ page }) => {
  await page.goto('/datastores')
  const window = page.getByRole('button', { name: 'Live · last 5 min' })
  await window.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Last 6 hours' })).toBeVisible()
  await page.keyboard.press('Escape')
  // While it closes, a button of the same name is still in it.
  await expect(page.getByRole('button', { name: 'Last 6 hours' })).toHaveCount(0)
  await expect(window).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Last 6 hours' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/last=6h/)
})

test('question mark opens the help and Escape closes it', async ({ page }) => {
  await page.goto('/datastores')
  await expect(page.locator('h1')).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the list sorts by its headings', async ({ page }) => {
  await page.goto('/datastores')
  await page.getByRole('button', { name: 'Latency', exact: true }).press('Enter')
  await expect(page).toHaveURL(/sort=-total_latency/)
  await expect(page.getByRole('columnheader', { name: 'Latency', exact: true })).toHaveAttribute(
    'aria-sort',
    'descending',
  )
})

/** The line around what has the focus: its own, or of its frame. */
function ringOf(what: Locator): Promise<string> {
  return what.evaluate((element) => {
    const boxes = [element, element.nextElementSibling, element.closest('tr')].filter((box) => box !== null)
    const widths = boxes.map((box) => {
      const { outlineStyle, outlineWidth, display } = getComputedStyle(box)
      return outlineStyle === 'none' || display === 'none' ? 0 : Number.parseFloat(outlineWidth)
    })
    return `${Math.max(...widths)} px`
  })
}

test('what has the focus is seen to have it: links, buttons, headings and rows of tables, fields', async ({ page }) => {
  await page.goto('/datastores')
  const table = page.getByRole('table', { name: 'Datastores' })
  await expect(table.getByRole('link').first()).toBeVisible()
  // A page that was last touched by a key shows where the focus is.
  await page.keyboard.press('Tab')
  for (const [what, one] of [
    ['link of the menu', page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'VMs' })],
    ['button', page.getByRole('button', { name: 'Live · last 5 min' })],
    ['heading', table.getByRole('button', { name: 'Latency', exact: true })],
    ['row', table.locator('tbody').getByRole('link').first()],
    ['frame of the table', page.getByRole('region', { name: 'Datastores, scrolls' })],
  ] as const) {
    await one.focus()
    await expect(one).toBeFocused()
    await expect.poll(() => ringOf(one), { message: what }).toMatch(/^[2-9]/)
  }
})

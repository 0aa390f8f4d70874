import { settled, violationsInDarkAndLight } from './accessible'
import { expect, test } from './watch'

test('a text without contrast is found in each theme, and again until it is mended', async ({ page }) => {
  await page.goto('/sources')
  await settled(page)
  await page.evaluate(() => {
    const text = document.createElement('p')
    text.textContent = 'hardly seen'
    Object.assign(text.style, { color: '#888888', background: '#777777' })
    document.querySelector('main')?.append(text)
  })
  const found = ['light', 'dark'].map((theme) => expect.stringMatching(`^${theme}: color-contrast: .*hardly seen`))
  expect(await violationsInDarkAndLight(page)).toEqual(found)
  expect(await violationsInDarkAndLight(page)).toEqual(found)
})

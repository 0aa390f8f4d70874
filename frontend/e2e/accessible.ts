/** What axe finds on a page as it stands, by the rules of WCAG 2.2 AA. */

import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

export async function settled(page: Page) {
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.waitForTimeout(300)
}

export async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}

/** An open page follows the theme of its system, so that it need not be loaded twice; it ends in the dark. */
export async function violationsInDarkAndLight(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator(`html[data-theme="${colorScheme}"]`)).toBeAttached()
    await page.waitForTimeout(200)
    found.push(...(await violations(page)).map((one) => `${colorScheme}: ${one}`))
  }
  return found
}

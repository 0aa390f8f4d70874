/** What axe finds on a page as it stands, by the rules of WCAG 2.2 AA. */

import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

export async function settled(page: Page) {
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await still(page)
}

/** Until nothing fades or slides any more: colors are measured as they stay. What moves for ever is not waited for. */
export async function still(page: Page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const moving = () =>
      document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
    // What a frame starts is seen in the next.
    for (let quiet = 0; quiet < 3; quiet++) {
      await frame()
      const running = moving()
      if (running.length > 0) quiet = 0
      await Promise.allSettled(running.map(({ finished }) => finished))
    }
  })
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Themes change inks and nothing else: in the second one only these can find more. */
const INKS = ['color-contrast', 'link-in-text-block']
/** Rows far below are made as those above; looking at every one of them takes most of the time. */
const FAR_BELOW = 'tbody tr:nth-of-type(n+9)'

const axe = (page: Page): AxeBuilder => new AxeBuilder({ page }).exclude(FAR_BELOW)

async function found(builder: AxeBuilder): Promise<string[]> {
  const { violations: broken } = await builder.analyze()
  return broken.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}

export const violations = (page: Page): Promise<string[]> => found(axe(page).withTags(RULES))

/** An open page follows the theme of its system, so that it need not be loaded twice; it ends in the dark. */
export async function violationsInDarkAndLight(page: Page): Promise<string[]> {
  const all: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator(`html[data-theme="${colorScheme}"]`)).toBeAttached()
    await still(page)
    const here = await (colorScheme === 'light' ? violations(page) : found(axe(page).withRules(INKS)))
    all.push(...here.map((one) => `${colorScheme}: ${one}`))
  }
  return all
}

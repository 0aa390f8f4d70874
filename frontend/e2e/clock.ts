/** The time of the Gavel that is looked at, by the variable that sets its clock: held at an instant, or shifted. */

import type { Page } from '@playwright/test'

const SET = process.env.GAVEL_TEST_CLOCK ?? '+0'

export const gavelNow = (): number =>
  SET.startsWith('@') ? Number(SET.slice(1)) * 1000 : Date.now() + Number(SET) * 1000

/**
 * Sets the page's clock to an instant, and the server's with it, as its answers say. Returns what moves both on, with whatever
 * the page does meanwhile.
 */
export async function atTime(page: Page, at_ms: number): Promise<(by_ms: number) => Promise<void>> {
  let now_ms = at_ms
  await page.clock.install({ time: at_ms })
  await page.route(/\/api\/v1\/(?!live)/, async (route) => {
    const response = await route.fetch({ maxRetries: 2 })
    await route.fulfill({ response, headers: { ...response.headers(), date: new Date(now_ms).toUTCString() } })
  })
  return async (by_ms) => {
    now_ms += by_ms
    await page.clock.runFor(by_ms)
  }
}
